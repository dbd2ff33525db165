/** The colours of the drawn application, 0xRRGGBB. */
export const PALETTE = {
  ground: 0xf3f5fa,
  card: 0xffffff,
  rule: 0xe4e8f1,
  ink: 0x1c2440,
  faint: 0x7c87a3,
  sidebar: 0x171d35,
  sidebarInk: 0xa9b3d1,
  chosen: 0x2a3358,
  white: 0xffffff,
  blue: 0x4a6cf7,
  teal: 0x17b8a6,
  coral: 0xff7a59,
  violet: 0x9b6bf2,
  paleTeal: 0xdcf5f1,
  paleBlue: 0xe4e9fe,
  paleCoral: 0xffe9e2,
} as const;
