import { assert, constantFrom, property, tuple, uniqueArray } from 'fast-check';
import { parseIPXURL } from 'ipx';
import { generate } from 'unpic/providers/ipx';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/errors.ts';
import { readUrlOptions } from '../../../../src/routes/delivery/url-options.ts';

const presets = {
  card: 's_300x200,f_webp',
  hero: 'w_1600,q_60',
  wide: 'w_400,h_300',
  small: 't_50,m_5000',
};

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
    ['s_300x168.75', { width: 300, height: 169 }],
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
    ['b_#0f0', { background: [0, 255, 0] }],
    ['b_0080Ff', { background: [0, 128, 255] }],
    ['a_first', { animation: 'first' }],
    ['animated', { animation: 'keep' }],
    ['s_10x10,pos_top-left', { position: { x: 0, y: 0 } }],
    ['s_10x10,pos_0.3x0.5', { position: { x: 0.3, y: 0.5 } }],
    ['s_10x10,position_auto', { position: 'auto' }],
    ['s_10x10,pos_left top', { position: { x: 0, y: 0 } }],
    ['s_10x10,pos_southeast', { position: { x: 1, y: 1 } }],
    ['s_10x10,pos_attention', { position: 'auto' }],
    ['p_card', { width: 300, height: 200, format: 'webp' }],
    ['p_card,w_90', { width: 90, height: 200, format: 'webp' }],
    ['p_wide,s_800x600', { width: 800, height: 600, fit: 'cover' }],
    ['s_800,p_wide', { width: 800, height: 800 }],
    ['p_hero,t_high', { width: 1600, quality: 'auto', target: 86 }],
    ['p_hero,m_20000', { quality: 'auto', maxBytes: 20_000 }],
    ['p_small,q_80', { quality: 80, target: null, maxBytes: null }],
    ['p_small,t_80', { target: 80, maxBytes: 5000 }],
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
    'w_0.4',
    'w_.5',
    'w_5.',
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
    't_toString',
    't___proto__',
    'm_999',
    'q_80,t_70',
    'b_ff',
    'b_gggggg',
    'b_##ffffff',
    'b_ffffffff',
    'b_red',
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
    expect(refusalOf('w_10', true)).toMatch(/^preset_required: /);
    expect(refusalOf('p_card,w_10', true)).toMatch(/^preset_required: /);
  });
});

/** What IPX itself reads of a segment, in a spelling of its own. */
function asIpxReads(segment: string): string {
  const { modifiers } = parseIPXURL(`https://img.example/${encodeURI(segment)}/photo.jpg`);
  return Object.entries(modifiers)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

describe('IPX', () => {
  it('reads the same names and values, with any of its separators', () => {
    const separator = constantFrom('_', ':', '=');
    const choices = [
      ...[
        'w 40',
        'width 1600',
        'h 30',
        'height 9',
        's 300x200',
        'resize 64',
        'f webp',
        'format jpg',
      ],
      ...[
        'q 70',
        'quality 5',
        'fit contain',
        'pos top',
        'position right top',
        'b 0f0',
        'animated true',
      ],
    ];
    const pairs = uniqueArray(tuple(constantFrom(...choices), separator), {
      minLength: 1,
      maxLength: 5,
      // An option is given once, under one of its names.
      selector: ([choice]) => (choice.startsWith('re') ? 's' : choice[0]),
    });
    assert(
      property(pairs, constantFrom(',', '&'), (chosen, between) => {
        const segment = chosen.map(([choice, sign]) => choice.replace(' ', sign)).join(between);
        expect(read(asIpxReads(segment))).toEqual(read(segment));
      }),
    );
  });

  it.each([
    ...['autoorient', 'blur_5', 'brightness_2', 'clahe_3_3', 'crop_0_0_9_9', 'dilate_1', 'enlarge'],
    ...['erode_1', 'extend_1_1_1_1', 'extract_0_0_9_9', 'flatten', 'flip', 'flop', 'gamma_2'],
    ...[
      'grayscale',
      'hue_90',
      'kernel_cubic',
      'lightness_9',
      'linear_1_2',
      'median_3',
      'modulate_1',
    ],
    ...[
      'negate',
      'normalize',
      'opacity_50',
      'rotate_90',
      'saturation_2',
      'sharpen_3',
      'threshold_9',
    ],
    ...['tint_f00', 'trim_10', 'unflatten', 'w_10,blur_5', 'f_tiff', 'f_heif', 'f_heic', 'pos_8'],
  ])('can do more: %s is refused, with a list of what exists', (segment) => {
    expect(refusalOf(segment)).toMatch(
      /^invalid_options: .*(w or width, h or height, .* dpr, fit|"format" should be auto|"pos" should be center)/,
    );
  });
});

describe('unpic', () => {
  const baseURL = 'https://img.example/i/shop';

  it.each<[Parameters<typeof generate>[1] & Readonly<Record<string, unknown>>, object]>([
    [{}, { format: 'auto', width: null }],
    [{ width: 300 }, { format: 'auto', width: 300, height: null }],
    [
      { width: '300', height: 200.4 },
      { width: 300, height: 200, fit: 'cover' },
    ],
    [
      { height: 100, quality: 70, format: 'webp' },
      { height: 100, quality: 70, format: 'webp' },
    ],
    [{ s: '64x48', fit: 'contain', background: '#00ff00' }, { background: [0, 255, 0] }],
    [{ width: 9, height: 9, pos: '0.3x0.5' }, { position: { x: 0.3, y: 0.5 } }],
    [{ width: 9, max_bytes: 5000 }, { maxBytes: 5000 }],
  ])('writes what is read: %j', (operations, options) => {
    const url = new URL(generate('/photo.jpg', { ...operations }, { baseURL }));
    const [, segment = ''] = /^\/i\/shop\/([^/]+)\/photo\.jpg$/.exec(url.pathname) ?? [];
    expect(read(decodeURIComponent(segment)).options).toMatchObject(options);
  });
});
