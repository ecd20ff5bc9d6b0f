import { ConfigError, ServiceError } from '../../src/base/errors.ts';

/** More than any sentence for a person needs. */
const LONGEST_SENTENCE_CHARACTERS = 2000;

/** What a reader makes of an answer; undefined where it refuses it. Whatever else it throws is a defect. */
export function readOrRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.message.length > LONGEST_SENTENCE_CHARACTERS)
      throw new Error(`an error of ${error.message.length} characters`, { cause: error });
    return undefined;
  }
}

/** Is {@link readOrRefused} for a configuration: the problems that it is refused with. */
export async function problemsOf(parse: () => unknown): Promise<readonly string[]> {
  try {
    await parse();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) {
      if (problem.length > LONGEST_SENTENCE_CHARACTERS)
        throw new Error(`a sentence of ${problem.length} characters`, { cause: error });
      // One sentence is one line of a terminal and of the log.
      if (/[\p{Cc}\u2028\u2029]/u.test(problem))
        throw new Error(`a control character in ${JSON.stringify(problem)}`, { cause: error });
    }
    return error.problems;
  }
}
