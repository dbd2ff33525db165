/**
 * The SSIMULACRA2 score from the errors at all scales. The constants are from `ssimulacra2.cc` by Jon Sneyers
 * (Cloudinary), BSD-3-Clause, and were tuned to human judgments in CID22, TID2013, KADID-10k and KonFiG-IQA.
 */

export const scaleCount = 6;
const channels = 3;
/** Error maps: 1 − SSIM, artifacts, detail loss. */
const maps = 3;
/** Norms: the mean, and the fourth root of the mean of fourth powers. */
const norms = 2;

/** Number of error sums at one scale: channels × maps × norms, in the order of the kernel. */
export const sumsPerScale = channels * maps * norms;

export interface ScaleSums {
  /** Number of pixels in the sums. */
  pixels: number;
  readonly errors: Float64Array<ArrayBuffer>;
}

/**
 * The score of the errors at all scales, from the finest on.
 * @returns null if nothing has been measured
 */
export function scoreOf(scales: readonly ScaleSums[]): number | null {
  return scales.some(({ pixels }) => pixels > 0) ? scoreOfError(weightedError(scales)) : null;
}

function weightedError(scales: readonly ScaleSums[]): number {
  let error = 0;
  let next = 0;
  for (let channel = 0; channel < channels; channel += 1) {
    for (const scale of scales) {
      for (let norm = 0; norm < norms; norm += 1) {
        for (let map = 0; map < maps; map += 1) {
          error += (weights[next] ?? 0) * normOf(scale, channel, map, norm);
          next += 1;
        }
      }
    }
  }
  return error;
}

function normOf({ pixels, errors }: ScaleSums, channel: number, map: number, norm: number): number {
  const sum = errors[(channel * maps + map) * norms + norm] ?? 0;
  const mean = pixels > 0 ? sum / pixels : 0;
  return norm === 0 ? mean : mean ** (1 / 4);
}

/** Maps the weighted error to the scale of human ratings. */
function scoreOfError(error: number): number {
  const scaled = 0.9562382616834844 * error;
  const fitted =
    2.326765642916932 * scaled -
    0.020884521182843837 * scaled ** 2 +
    6.248496625763138e-5 * scaled ** 3;
  return fitted > 0 ? 100 - 10 * fitted ** 0.6276336467831387 : 100;
}

/** Weights for X, Y and B, each by scale from the finest; for each scale, the maps by mean, then by fourth power. */
// biome-ignore format: a line for each scale
const weights: readonly number[] = [
  // X
  0, 0.0007376606707406586, 0, 0, 0.0007793481682867309, 0,
  0, 0.0004371155730107379, 0, 1.1041726426657346, 0.00066284834129271, 0.00015231632783718752,
  0, 0.0016406437456599754, 0, 1.8422455520539298, 11.441172603757666, 0,
  0.0007989109436015163, 0.000176816438078653, 0, 1.8787594979546387, 10.94906990605142, 0,
  0.0007289346991508072, 0.9677937080626833, 0, 0.00014003424285435884, 0.9981766977854967, 0.00031949755934435053,
  0.0004550992113792063, 0, 0, 0.0013648766163243398, 0, 0,
  // Y
  0, 0, 0, 7.466890328078848, 0, 17.445833984131262,
  0.0006235601634041466, 0, 0, 6.683678146179332, 0.00037724407979611296, 1.027889937768264,
  225.20515300849274, 0, 0, 19.213238186143016, 0.0011401524586618361, 0.001237755635509985,
  176.39317598450694, 0, 0, 24.43300999870476, 0.28520802612117757, 0.0004485436923833408,
  0, 0, 0, 34.77906344483772, 44.835625328877896, 0,
  0, 0, 0, 0, 0, 0,
  // B
  0, 0.0008680556573291698, 0, 0, 0, 0,
  0, 0.0005313191874358747, 0, 0.00016533814161379112, 0, 0,
  0, 0, 0, 0.0004179171803251336, 0.0017290828234722833, 0,
  0.0020827005846636437, 0, 0, 8.826982764996862, 23.19243343998926, 0,
  95.1080498811086, 0.9863978034400682, 0.9834382792465353, 0.0012286405048278493, 171.2667255897307, 0.9807858872435379,
  0, 0, 0, 0.0005130064588990679, 0, 0.00010854057858411537,
];
