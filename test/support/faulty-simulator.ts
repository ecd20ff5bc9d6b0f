import type { Clock } from '../../src/base/clock.ts';
import {
  JSON_TYPE,
  type Reply,
  sendReply,
  type ServiceRequest,
} from '../../src/simulator/service/call.ts';
import type { Endpoint, Exchange } from '../../src/simulator/service/service.ts';
import {
  createSimulator as createHonestSimulator,
  type Simulator as HonestSimulator,
  type SimulatorOptions,
} from '../../src/simulator/simulator.ts';
import { type Deferred, deferred } from './deferred.ts';

/** The simulated service, which a test may let misbehave. */
export interface Simulator extends HonestSimulator {
  /** Makes an endpoint misbehave; `*` reaches those without a fault of their own. */
  setFault(endpoint: Endpoint | '*', fault: Fault | undefined): void;
  /** Changes the body of each answer from now on, that of a fault as well. */
  rewrite(change: Rewrite): void;
  /**
   * Stops the next request for an endpoint at that moment; resolves, when it has come so far, to what lets it go where
   * it is not stopped for ever.
   */
  hold(endpoint: Endpoint, moment: Moment): Promise<() => void>;
}

export type Rewrite = (body: string, request: ServiceRequest) => string;

/** How far a held request is let through. */
export type Moment =
  | 'before the service is asked'
  | 'before its answer arrives'
  | 'once it arrived'
  | 'before it is let go';

/** Builds the simulated service with faults: nothing listens before it is started. */
export function createSimulator(options: Partial<SimulatorOptions>, clock: Clock): Simulator {
  const faults = new Map<Endpoint | '*', Fault>();
  const setFault = (endpoint: Endpoint | '*', fault: Fault | undefined): void => {
    if (fault === undefined) faults.delete(endpoint);
    else faults.set(endpoint, fault);
  };

  /** Finds the fault that strikes a request, and counts it as used once. */
  const takeFault = (endpoint: Endpoint, request: ServiceRequest): Fault | undefined => {
    const key = faults.has(endpoint) ? endpoint : '*';
    const fault = faults.get(key);
    if (fault === undefined || !isAbout(fault.about, request)) return undefined;
    const { times = Infinity } = fault;
    setFault(key, times > 1 ? { ...fault, times: times - 1 } : undefined);
    return fault;
  };

  let rewrite: Rewrite = (body) => body;
  let held:
    | {
        readonly endpoint: Endpoint;
        readonly moment: Moment;
        readonly reached: Deferred<() => void>;
      }
    | undefined;
  const hold: Simulator['hold'] = (endpoint, moment) => {
    const reached = deferred<() => void>();
    held = { endpoint, moment, reached };
    return reached.promise;
  };

  const answer = ({ endpoint, request, response, honest }: Exchange): void => {
    const fault = takeFault(endpoint, request) ?? { kind: 'altered', alter: (body) => body };
    if (fault.kind === 'reply') sendReply(response, rewritten(replyOf(fault), request));
    else if (fault.kind === 'reset') {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': 1000 });
      response.write('{"code":0,"me', () => response.destroy());
    } else if (fault.kind === 'altered') {
      const { status, body } = honest();
      sendReply(response, rewritten({ status, body: fault.alter(String(body), request) }, request));
    }
  };
  const rewritten = (reply: Reply, request: ServiceRequest): Reply => {
    return { ...reply, body: rewrite(String(reply.body), request) };
  };

  const strike = async (exchange: Exchange): Promise<true> => {
    if (held?.endpoint !== exchange.endpoint) {
      answer(exchange);
      return true;
    }
    const { moment, reached } = held;
    held = undefined;
    if (moment === 'before it is let go')
      await new Promise<void>((resolve) => reached.resolve(resolve));
    if (moment === 'before its answer arrives') exchange.honest();
    if (moment === 'before the service is asked' || moment === 'before its answer arrives')
      reached.resolve(() => undefined);
    else answer(exchange);
    exchange.response.once('finish', () => reached.resolve(() => undefined));
    return true;
  };
  return Object.assign(createHonestSimulator(options, clock, strike), {
    setFault,
    hold,
    rewrite: (change: Rewrite) => {
      rewrite = change;
    },
  });
}

/** One way for the service to misbehave; every kind strikes after the request has arrived. */
export type Fault = {
  /** Strikes only the next so many requests; all until cleared when left out. */
  readonly times?: number;
  /** Strikes only requests that name this station or device, or one of these; all when left out. */
  readonly about?: string | readonly string[];
} & (
  | Disturbance
  /** The honest answer, rewritten. */
  | { kind: 'altered'; alter: Rewrite }
);

/** What comes instead of the honest answer. */
type Disturbance =
  /** Always the same answer: status 200 where no other is given, and an object as JSON. */
  | { kind: 'reply'; status?: number; headers?: Reply['headers']; body?: string | object }
  /**
   * The connection breaks after the headers and part of the body; or no answer comes until the simulator stops.
   */
  | { readonly kind: 'reset' | 'hang' };

/** Whether a request names one of these ids, if any: as a value in the query, or as JSON text in the body. */
function isAbout(about: Fault['about'], { query, bodyBytes }: ServiceRequest): boolean {
  if (about === undefined) return true;
  const asked = [...query.values()];
  return [about].flat().some((id) => asked.includes(id) || bodyBytes.includes(JSON.stringify(id)));
}

type Answered = Extract<Disturbance, { kind: 'reply' }>;

function replyOf({ status = 200, headers = JSON_TYPE, body = '' }: Answered): Reply {
  return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}
