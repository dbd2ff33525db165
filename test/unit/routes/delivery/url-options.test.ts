import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/errors.ts';
import { readUrlOptions } from '../../../../src/routes/delivery/url-options.ts';

const presets = { card: 's_300x200,f_webp', hero: 'w_1600,q_60' };

const read = (segment: string, presetsOnly = false) =>
  readUrlOptions(segment, presets, presetsOnly);

function refusalOf(segment: string, presetsOnly = false): string {
  try {
    read(segment, presetsOnly);
  } catch (error) {
    if (error instanceof ApiError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error(`${segment} was read`);
}

describe('the options in a URL', () => {
  it('are none with an underscore: the format that the browser takes, in the own size', () => {
    expect(read('_')).toMatchObject({
      canonical: '_',
      expiresAt: null,
      options: { format: 'auto', width: null, height: null, fit: 'inside' },
    });
  });

  it.each<[string, object]>([
    ['w_200', { width: 200, height: null, fit: 'inside' }],
    ['width_200,height_100', { width: 200, height: 100, fit: 'cover' }],
    ['s_800x600', { width: 800, height: 600, fit: 'cover' }],
    ['s_800', { width: 800, height: 800, fit: 'cover' }],
    ['w=200&h:100&fit_inside', { width: 200, height: 100, fit: 'inside' }],
    ['w_200,dpr_2', { width: 400, height: null }],
    ['w_333,dpr_1.5', { width: 500 }],
    ['w_200,fit_cover', { width: 200, fit: 'inside' }],
    ['f_jpg', { format: 'jpeg' }],
    ['format_keep', { format: 'keep' }],
    ['q_80', { quality: 80 }],
    ['q_lossless', { quality: 'lossless' }],
    ['t_high', { target: 86 }],
    ['t_70,m_20000', { target: 70, maxBytes: 20_000 }],
    ['b_fff', { background: [255, 255, 255] }],
    ['b_0080Ff', { background: [0, 128, 255] }],
    ['a_first', { animation: 'first' }],
    ['animated', { animation: 'keep' }],
    ['s_10x10,pos_top-left', { position: { x: 0, y: 0 } }],
    ['s_10x10,pos_0.3x0.5', { position: { x: 0.3, y: 0.5 } }],
    ['s_10x10,position_auto', { position: 'auto' }],
    ['p_card', { width: 300, height: 200, format: 'webp' }],
    ['p_card,w_90', { width: 90, height: 200, format: 'webp' }],
  ])('%s are read as IPX and the API do', (segment, options) => {
    expect(read(segment).options).toMatchObject(options);
  });

  it('have one canonical text, however they are written', () => {
    const same = ['w_300,h_200,f_webp', 'f=webp&s:300x200', 'p_card', 'h_100,w_150,dpr_2,f_webp'];
    expect(new Set(same.map((segment) => read(segment).canonical)).size).toBe(1);
    expect(read('w_300').canonical).not.toBe(read('h_300').canonical);
    expect(read('w_300,exp_2000000000').canonical).toBe(read('w_300').canonical);
    expect(read('f_auto').canonical).toBe('_');
  });

  it('may expire', () => {
    expect(read('exp_1800000000').expiresAt).toBe(1_800_000_000);
  });

  it.each([
    '',
    'x_1',
    'blur_5',
    'w_0',
    'w_-1',
    'w_1e3',
    'w_16385',
    'w',
    'w_1,w_2',
    'w_1,width_2',
    's_0x1',
    's_1x',
    'dpr_5',
    'dpr_0',
    'fit_fit',
    'pos_middle',
    'pos_2x0',
    'f_bmp',
    'q_0',
    'q_101',
    't_29',
    'm_999',
    'q_80,t_70',
    'b_ff',
    'b_gggggg',
    'p_none',
    'p_toString',
    'p___proto__',
    'exp_x',
    'w_1,,h_1',
    'W_1',
  ])('are refused, and the refusal says what would do: %s', (segment) => {
    expect(refusalOf(segment)).toMatch(/^invalid_options: ./);
  });

  it('are presets and nothing else where the site says so', () => {
    expect(read('p_card', true).options).toMatchObject({ width: 300 });
    expect(read('_', true).canonical).toBe('_');
    expect(refusalOf('w_10', true)).toMatch(/preset/);
    expect(refusalOf('p_card,w_10', true)).toMatch(/preset/);
  });
});
