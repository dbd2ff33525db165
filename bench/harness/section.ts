/** The measurements of one part of the bench, for the terminal and the report. */
export interface Section {
  readonly title: string;
  /** Markdown text about the procedure, the peers, and how to read the figures. */
  readonly text: string;
  readonly tables: readonly Table[];
  readonly plots: readonly Plot[];
  /** Failed expectations; if there are any, the run exits with status 1. */
  readonly failures: readonly string[];
}

export interface Table {
  readonly caption: string;
  /** The first column names the rows; the others contain figures. */
  readonly columns: readonly string[];
  /** Cells as displayed; `–` if there is no figure. */
  readonly rows: readonly (readonly string[])[];
}

/** Series of points that share two axes. */
export interface Plot {
  /** Name of the file without its extension: `jpeg-bytes`. */
  readonly name: string;
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

export interface Axis {
  /** Title, including the unit. */
  readonly title: string;
  readonly scale: 'linear' | 'log';
  /** Whether the axis starts at zero; otherwise, it starts at its smallest value. */
  readonly fromZero?: boolean;
}

export interface Series {
  readonly name: string;
  /** A line through points in the order of x, or points alone. */
  readonly mark: 'line' | 'points';
  /** Whether it is a reference for all series, such as a budget or a prediction. */
  readonly isReference?: boolean;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** The inputs of a part. */
export interface BenchSettings {
  /** The pictures to measure on. */
  readonly corpus: Corpus;
  /** The folder for pictures before and after, for inspection; undefined: they are not written. */
  readonly picturesTo?: string;
  /** Replaces the automatic quality in parts that measure a single one. */
  readonly quality?: number;
  /**
   * Maximum number of pictures per folder, or of sizes of a picture, for parts that select some; undefined: the part's
   * default.
   */
  readonly filesEach?: number;
  /** Reports progress on the terminal. */
  say(line: string): void;
}

/** Files classified by their use; no class is empty, because samples stand in. */
export interface Corpus {
  /** The name in the report. */
  readonly name: string;
  /** Camera photos as JPEG, including large ones. */
  readonly photos: readonly CorpusFile[];
  /** Lossless photos, as PNG. */
  readonly exactPhotos: readonly CorpusFile[];
  /** Screenshots, icons and the like, as PNG. */
  readonly graphics: readonly CorpusFile[];
  /** PNGs with significant alpha. */
  readonly translucent: readonly CorpusFile[];
  /** GIFs, including those with a single frame, and animated PNGs and WebPs. */
  readonly animations: readonly CorpusFile[];
  /** All files of the folder except GIFs, including damaged ones. */
  readonly files: readonly CorpusFile[];
}

export interface CorpusFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** One part of `npm run bench`. */
export interface Part {
  /** The name for `--only`. */
  readonly name: string;
  measure(settings: BenchSettings): Promise<Section>;
}
