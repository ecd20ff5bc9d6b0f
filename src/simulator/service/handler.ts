import type { Reply } from './reply.ts';
import { jsonBody, type JsonObject, type ServiceRequest } from './service-request.ts';
import type { World } from './world.ts';

/** Answers the requests to one endpoint. */
export type Handler = (request: ServiceRequest, world: World) => Reply;

/** Makes a handler of what only needs the body. */
export function onBody(handle: (body: JsonObject, world: World) => Reply): Handler {
  return (request, world) => handle(jsonBody(request), world);
}
