import { ApiError } from '../../errors.ts';
import { imageTypes } from '../../image/inspect/inspection.ts';
import { uprightSize } from '../../image/inspect/upright-size.ts';
import type { OptimizeOptions } from '../../image/options.ts';
import type { Refusal } from '../../image/refusal.ts';
import type { look, Source } from '../../image/source.ts';
import { bodyTooLarge, overloaded } from './held-bytes.ts';
import { sizeAdvice } from './size-advice.ts';

type NoSource = Exclude<ReturnType<typeof look>, { kind: 'source' }>;

const supported = imageTypes.map((type) => `image/${type}`);

/** The wire's word for a file that cannot be read. */
export function unreadable(result: NoSource): ApiError {
  switch (result.kind) {
    case 'unsupported': {
      const what = result.what === 'unknown' ? 'This' : result.what;
      return new ApiError(
        'unsupported_media_type',
        `${what} is not an image of a supported type: send JPEG, PNG, WebP or AVIF.`,
        { members: { supported } },
      );
    }
    case 'unsupported-feature':
    case 'broken':
      return new ApiError('invalid_image', result.detail);
  }
}

/** The wire's word for a picture that is not worked on. */
export function refused(refusal: Refusal, source: Source, options: OptimizeOptions): ApiError {
  switch (refusal.reason) {
    case 'options':
      return new ApiError('invalid_options', refusal.detail);
    case 'image':
      return new ApiError('invalid_image', refusal.detail);
    case 'too-large': {
      const { width, height } = uprightSize(source.image);
      const { limitPixels } = refusal;
      return new ApiError('image_too_large', sizeAdvice(source, options, limitPixels), {
        members: { width, height, limit_pixels: limitPixels },
      });
    }
    case 'file-too-large':
      return bodyTooLarge(refusal.limitBytes);
    case 'overloaded':
      return overloaded();
  }
}
