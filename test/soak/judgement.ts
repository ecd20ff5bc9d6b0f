import type { ProcessReading } from './process-reading.ts';
import { secondHalf, slope } from './slope.ts';

/** What was seen of the exporter at one moment; scrapes, failures and requests count from the start. */
export interface Observation extends ProcessReading {
  readonly minute: number;
  readonly round: string;
  /** Without garbage. */
  readonly heapKibibytes: number;
  readonly eventLoopLagSeconds: number;
  readonly scrapes: number;
  readonly failed: number;
  readonly slowestMs: number;
  readonly requests: number;
}

export interface Run {
  readonly observations: readonly Observation[];
  readonly failures: readonly string[];
  readonly errors: readonly string[];
  readonly exitStatus: number | null;
}

export interface Verdict {
  readonly name: string;
  readonly value: string;
  readonly limit: string;
  readonly isWithin: boolean;
}

/**
 * An answer that is kept by mistake is a kilobyte or more, and there are some 500 requests a minute. What
 * the compiler keeps of code that has become hot, and of families met for the first time, is near 90.
 */
const MOST_HEAP_SLOPE_KIBIBYTES_PER_MINUTE = 200;
/**
 * Buffers and sockets are not on the heap: 4 KiB for each of 60 scrapes and 60 visitors would be 480. The
 * allocator itself, which gives back late what ten megabytes of answer needed, is not quite even.
 */
const MOST_RSS_SLOPE_KIBIBYTES_PER_MINUTE = 480;
/** One that is lost in each round of 20 s would be three; the pool grows and shrinks by less. */
const MOST_DESCRIPTOR_SLOPE_PER_MINUTE = 1;
/** The sockets, and what Node.js opens for itself: files, pipes and its event loop, some twenty. */
const MOST_DESCRIPTORS = 40;
/**
 * Eight to the service (`--request.concurrency`), one that listens, two to the parent, one of Prometheus,
 * and a visitor while others are still leaving.
 */
const MOST_SOCKETS = 15;
/** Prometheus gives up when the next scrape is due. */
const SLOWEST_SCRAPE_MS = 1000;
/**
 * Three stations of five devices with everything due: 2 questions for each device, 3 for each station,
 * 1 for the stations, 2 to renew. More than twice as many would be a loop.
 */
const MOST_REQUESTS_PER_SCRAPE = 84;

/** Holds a run against the bounds. */
export function judge({ observations, failures, errors, exitStatus }: Run): readonly Verdict[] {
  const late = secondHalf(observations);
  const perMinute = (read: (observation: Observation) => number): number =>
    slope(late.map((observation) => ({ x: observation.minute, y: read(observation) })));
  const most = (read: (observation: Observation) => number): number =>
    Math.max(...observations.map(read));
  const { scrapes = 0, requests = 0 } = observations.at(-1) ?? {};
  const [first] = late;
  return [
    verdict(
      'heap in the second half, KiB/min',
      perMinute(({ heapKibibytes }) => heapKibibytes),
      MOST_HEAP_SLOPE_KIBIBYTES_PER_MINUTE,
    ),
    verdict(
      'RSS in the second half, KiB/min',
      perMinute(({ rssKibibytes }) => rssKibibytes),
      MOST_RSS_SLOPE_KIBIBYTES_PER_MINUTE,
    ),
    verdict(
      'file descriptors in the second half, per minute',
      perMinute(({ fileDescriptors }) => fileDescriptors),
      MOST_DESCRIPTOR_SLOPE_PER_MINUTE,
    ),
    verdict(
      'most file descriptors',
      most(({ fileDescriptors }) => fileDescriptors),
      MOST_DESCRIPTORS,
    ),
    verdict(
      'most sockets',
      most(({ sockets }) => sockets),
      MOST_SOCKETS,
    ),
    verdict(
      'threads begun in the second half',
      most(({ threads }) => threads) - (first?.threads ?? 0),
      0,
    ),
    verdict(
      `requests per scrape (${requests} in all)`,
      requests / scrapes,
      MOST_REQUESTS_PER_SCRAPE,
    ),
    verdict(`failed scrapes of ${scrapes}`, failures.length, 0),
    verdict(
      'slowest scrape, ms',
      most(({ slowestMs }) => slowestMs),
      SLOWEST_SCRAPE_MS,
    ),
    verdict('errors logged', errors.length, 0),
    verdict('exit status at SIGTERM', exitStatus ?? Number.NaN, 0),
  ];
}

function verdict(name: string, value: number, most: number): Verdict {
  return {
    name,
    value: Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1),
    limit: `at most ${most}`,
    isWithin: value <= most,
  };
}
