import { ZonedCalendar } from '../../src/base/time-zone.ts';
import type { AnswerContext } from '../../src/client/exchange/decode.ts';

/** What a decoder knows of an answer that nothing else is said about. */
export const ANSWER: AnswerContext = {
  path: '/apis/path',
  nowMs: 5000,
  serviceAheadMs: 3000,
  calendar: new ZonedCalendar('UTC'),
  noteDropped: () => undefined,
};
