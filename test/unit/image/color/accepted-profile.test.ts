import { describe, expect, it } from 'vitest';
import { isAcceptedProfile } from '../../../../src/image/color/accepted-profile.ts';
import { powerFunction } from '../../../../src/image/color/curves.ts';
import { greyProfile as madeGreyProfile } from '../../../../src/image/color/icc-writer.ts';
import {
  displayP3Profile,
  emptyProfile,
  gammaCurve,
  greyLabProfile,
  greyProfile,
  srgbCurve,
} from '../../../support/icc.ts';
import { acceptedProfiles, unacceptedProfiles } from '../../../support/odd-profiles.ts';

describe('color engines accept a profile', () => {
  it.each(Object.entries(acceptedProfiles))('with %s', (_, icc) => {
    expect(isAcceptedProfile(icc)).toBe(true);
  });

  it.each([
    ['of the tests', greyProfile()],
    ['that is made here', madeGreyProfile(powerFunction(1.8))],
  ])('for grey, %s', (_, icc) => {
    expect(isAcceptedProfile(icc)).toBe(true);
  });
});

describe('color engines do not accept a profile', () => {
  it.each(Object.entries(unacceptedProfiles))('with %s', (_, icc) => {
    expect(isAcceptedProfile(icc)).toBe(false);
  });

  it.each([
    ['without tags', emptyProfile('RGB ')],
    ['for grey without a curve', emptyProfile('GRAY')],
    ['for grey with a curve to lightness', greyLabProfile(gammaCurve(1))],
    ['for grey with a curve that is none', greyProfile(srgbCurve().slice(0, 20))],
    ['that ends in its header', displayP3Profile().slice(0, 131)],
  ])('%s', (_, icc) => {
    expect(isAcceptedProfile(icc)).toBe(false);
  });

  it('whatever is cut off its end, and reads no byte beyond', () => {
    const icc = displayP3Profile();
    for (let length = 0; length < icc.length - 3; length += 1) {
      expect(isAcceptedProfile(icc.slice(0, length)), `${length}`).toBe(false);
    }
  });
});
