/** Whether D1 answers a query on the schema. */
export async function databaseAnswers(db: D1Database): Promise<boolean> {
  try {
    await db.prepare('SELECT 1 FROM users LIMIT 1').run();
    return true;
  } catch {
    return false;
  }
}
