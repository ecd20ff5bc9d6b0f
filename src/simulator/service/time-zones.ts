const MOST_REMEMBERED = 1000;

/** Knows IANA zone names; clients repeat theirs with every request, and asking Intl is slow. */
export class TimeZones {
  readonly #answers = new Map<string, boolean>();

  isKnown(name: string): boolean {
    let answer = this.#answers.get(name);
    if (answer === undefined) {
      answer = isTimeZone(name);
      if (this.#answers.size >= MOST_REMEMBERED) this.#answers.clear();
      this.#answers.set(name, answer);
    }
    return answer;
  }
}

function isTimeZone(name: string): boolean {
  // Intl takes offsets such as +08:00 as well; the service does not.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
