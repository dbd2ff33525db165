/** The parts of the cabinet, in the order of the menu. */
export const sections = [
  { path: '/cabinet', name: 'Profile' },
  { path: '/cabinet/keys', name: 'Keys' },
  { path: '/cabinet/statistics', name: 'Statistics' },
  { path: '/cabinet/payment', name: 'Payment' },
  { path: '/cabinet/try', name: 'Try it' },
] as const;
