/** Whether `npm run test:full` is running, which performs in full the tests that others shorten. */
export const isFull = process.env.TEST_FULL !== undefined;
