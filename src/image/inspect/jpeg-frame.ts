import type { ByteCursor } from './byte-cursor.ts';
import type { JpegComponent, JpegInspection } from './inspection.ts';
import { broken, type Refusal, unsupportedFeature } from './refusal.ts';

export interface JpegFrame {
  readonly process: JpegInspection['process'];
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** 1, 3 or 4 of them. */
  readonly components: readonly JpegComponent[];
}

/**
 * Reads a frame header; `code` is the SOF marker's second byte, `segment` what follows its length.
 * Refuses the processes that the engines do not have. Source: ITU-T T.81 §B.2.2, tables B.1 and B.2.
 */
export function readJpegFrame(code: number, segment: ByteCursor): JpegFrame | Refusal {
  const process = codingProcess(code);
  if (typeof process !== 'string') return process;

  const precision = segment.uint8();
  const height = segment.uint16();
  const width = segment.uint16();
  const count = segment.uint8();
  if (segment.overrun || segment.remaining !== 3 * count) {
    return broken('The JPEG frame header has a wrong length.');
  }
  if (precision === 12 && process !== 'baseline') {
    return unsupportedFeature('JPEG with 12 bits per sample is not supported.');
  }
  if (precision !== 8) return broken('The JPEG frame header has an impossible sample precision.');
  if (width === 0) return broken('The JPEG has a width of zero.');
  if (height === 0) {
    return unsupportedFeature(
      'JPEG whose height follows only after its data (DNL) is not supported.',
    );
  }
  if (count === 0) return broken('The JPEG has no components.');
  if (count !== 1 && count !== 3 && count !== 4) {
    return unsupportedFeature(`JPEG with ${count} components is not supported.`);
  }

  const components: JpegComponent[] = [];
  for (let i = 0; i < count; i++) {
    const id = segment.uint8();
    const sampling = segment.uint8();
    const component = {
      id,
      horizontal: sampling >> 4,
      vertical: sampling & 15,
      quantizationTable: segment.uint8(),
    };
    if (!isSamplingFactor(component.horizontal) || !isSamplingFactor(component.vertical)) {
      return broken('A JPEG component has an impossible sampling factor.');
    }
    if (component.quantizationTable > 3) {
      return broken('A JPEG component names an impossible quantization table.');
    }
    components.push(component);
  }
  return { process, width, height, components };
}

function codingProcess(code: number): JpegFrame['process'] | Refusal {
  switch (code) {
    case 0xc0:
      return 'baseline';
    case 0xc1:
      return 'extended';
    case 0xc2:
      return 'progressive';
    case 0xc3:
      return unsupportedFeature('Lossless JPEG is not supported.');
    case 0xc9:
    case 0xca:
    case 0xcb:
      return unsupportedFeature('JPEG with arithmetic coding is not supported.');
    default:
      return unsupportedFeature('Hierarchical JPEG is not supported.');
  }
}

function isSamplingFactor(factor: number): boolean {
  return factor >= 1 && factor <= 4;
}
