import { createHash, createHmac } from 'node:crypto';
import { CODES, Refusal } from './reply.ts';
import type { Call } from './call.ts';

/** How many nonces are remembered: the newest, so that memory stays bounded. */
const MOST_NONCES = 100_000;

/**
 * Checks the signed headers of interface 5.1. It is written from the interface alone and shares
 * nothing with any client, so that the two check each other.
 */
export class SignatureCheck {
  readonly #appId: string;
  readonly #appSecret: string;
  readonly #seenNonces = new Set<string>();

  constructor(appId: string, appSecret: string) {
    this.#appId = appId;
    this.#appSecret = appSecret;
  }

  /**
   * Throws code 36 for an unknown application, and code 44 for a wrong nonce, hash or signature. A
   * client may leave the hash of the body out of its headers (field notes 8.2): then the service
   * takes its own, which the client has signed, or else nothing is signed but the application and
   * the nonce.
   */
  verify(call: Call): void {
    if (call.header('IOT-Open-AppID') !== this.#appId)
      throw new Refusal(CODES.unknownApp, 'IOT-Open-AppID is missing or unknown');
    const nonce = call.header('IOT-Open-Nonce') ?? '';
    // The interface has hexadecimal ones; web clients take any letters and digits.
    if (!/^[0-9A-Za-z]{32}$/.test(nonce)) throw badSignature('nonce');
    const bodyHash = createHash('sha256').update(call.request.bodyBytes).digest('hex');
    const sentHash = call.header('IOT-Open-Body-Hash');
    if (sentHash !== undefined && sentHash !== bodyHash) throw badSignature('body hash');
    const accepted = [this.#sign(nonce, bodyHash)];
    if (sentHash === undefined) accepted.push(this.#sign(nonce));
    if (!accepted.includes(call.header('IOT-Open-Sign') ?? '')) throw badSignature('signature');
    // The nonce is used up last, so that only a client that knows the secret can do so.
    if (this.#seenNonces.has(nonce)) throw badSignature('nonce was used before');
    this.#seenNonces.add(nonce);
    const [oldest = ''] = this.#seenNonces;
    if (this.#seenNonces.size > MOST_NONCES) this.#seenNonces.delete(oldest);
  }

  #sign(nonce: string, bodyHash?: string): string {
    // The names are in alphabetical order already.
    const pairs = [
      `IOT-Open-AppID=${this.#appId}`,
      ...(bodyHash === undefined ? [] : [`IOT-Open-Body-Hash=${bodyHash}`]),
      `IOT-Open-Nonce=${nonce}`,
    ].join('&');
    const base64 = Buffer.from(pairs, 'utf8').toString('base64');
    const mac = createHmac('sha256', this.#appSecret).update(base64).digest();
    return createHash('md5').update(mac).digest('hex');
  }
}

function badSignature(what: string): Refusal {
  return new Refusal(CODES.badSignature, `signature error: ${what}`);
}
