/** What one part of the bench has measured, for the terminal and for the report. */
export interface Section {
  readonly title: string;
  /** What was done, what stands beside it, and how the figures are to be read; Markdown. */
  readonly text: string;
  readonly tables: readonly Table[];
  readonly plots: readonly Plot[];
  /** What does not hold though it should; the run ends with status 1. */
  readonly failures: readonly string[];
}

export interface Table {
  readonly caption: string;
  /** The first one names the rows; the others are figures. */
  readonly columns: readonly string[];
  /** Cells as they are to be read; `–` where there is no figure. */
  readonly rows: readonly (readonly string[])[];
}

/** Series of points that share two axes. */
export interface Plot {
  /** Of the file, without its ending: `jpeg-bytes`. */
  readonly name: string;
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

export interface Axis {
  /** With its unit. */
  readonly title: string;
  readonly scale: 'linear' | 'log';
  /** Where the axis begins at zero; otherwise at its least value. */
  readonly fromZero?: boolean;
}

export interface Series {
  readonly name: string;
  /** A line through points in the order of x, or points alone. */
  readonly mark: 'line' | 'points';
  /** Something that holds for all: a budget, a prediction. */
  readonly isReference?: boolean;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** What a part gets to work on. */
export interface BenchSettings {
  /** The pictures to measure on. */
  readonly corpus: Corpus;
  /** Where pictures before and after are left to be looked at; undefined: nowhere. */
  readonly picturesTo?: string;
  /** In place of the automatic figure, where one alone is measured. */
  readonly quality?: number;
  /** Pictures of each folder, or sizes of a picture, where a part takes some of them; undefined: as many as it takes by itself. */
  readonly filesEach?: number;
  /** Says on the terminal what is being done. */
  say(line: string): void;
}

/** Files sorted by what can be shown with them; never empty, since samples stand in. */
export interface Corpus {
  /** What the report calls it. */
  readonly name: string;
  /** Camera photos as JPEG, large ones among them. */
  readonly photos: readonly CorpusFile[];
  /** Photos without loss, as PNG. */
  readonly exactPhotos: readonly CorpusFile[];
  /** Screenshots, icons and the like, as PNG. */
  readonly graphics: readonly CorpusFile[];
  /** PNGs in which alpha matters. */
  readonly translucent: readonly CorpusFile[];
  /** GIFs, those of one frame among them, and animated PNGs and WebPs. */
  readonly animations: readonly CorpusFile[];
  /** Whatever else the service may be sent, damaged files among them. */
  readonly files: readonly CorpusFile[];
}

export interface CorpusFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** One sub-bench of `npm run bench`. */
export interface Part {
  /** What `--only` calls it. */
  readonly name: string;
  measure(settings: BenchSettings): Promise<Section>;
}
