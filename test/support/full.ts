/** `npm run test:full`: tests do at length what `npm test` shortens. */
export const isFull = process.env.TEST_FULL !== undefined;
