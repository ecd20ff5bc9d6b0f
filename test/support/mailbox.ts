import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';

/** A mail as it was handed over. */
export interface ReceivedMail {
  /** What the sender said that it is: user and password, with a colon between. */
  readonly login: string;
  readonly isEncrypted: boolean;
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and text, as RFC 5322 has them. */
  readonly source: string;
}

/** A mail server on loopback that keeps what it takes. */
export interface RunningMailbox {
  /** Host and port. */
  readonly address: string;
  readonly mails: readonly ReceivedMail[];
}

/** Starts a mail server that takes everything, after STARTTLS and a log-in; it goes with the test. */
export async function startMailbox(identity: {
  readonly key: string;
  readonly cert: string;
}): Promise<RunningMailbox> {
  const mails: ReceivedMail[] = [];
  const secureContext = createSecureContext(identity);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.write('220 mailbox ESMTP\r\n');
    converse(socket, false, {
      secured: () => new TLSSocket(socket, { isServer: true, secureContext }),
      keep: (mail) => mails.push(mail),
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, mails };
}

interface Conversation {
  readonly secured: () => Socket;
  readonly keep: (mail: ReceivedMail) => void;
}

/** Answers the commands of RFC 5321 that a sender needs. */
function converse(socket: Socket, isEncrypted: boolean, conversation: Conversation): void {
  let unread = '';
  let mail = { login: '', isEncrypted, from: '', to: [] as string[], source: '' };
  let isText = false;
  const reply = (text: string): void => {
    socket.write(`${text}\r\n`);
  };
  const takeLine = (line: string): void => {
    if (isText) {
      if (line !== '.') {
        // A leading dot was doubled.
        mail.source += `${line.replace(/^\./, '')}\n`;
        return;
      }
      isText = false;
      conversation.keep(mail);
      mail = { ...mail, to: [], source: '' };
      reply('250 kept');
      return;
    }
    const [, verb = '', argument = ''] = /^(\w+)\s*(.*)$/.exec(line) ?? [];
    switch (verb.toUpperCase()) {
      case 'EHLO':
        reply(isEncrypted ? '250-mailbox\r\n250 AUTH PLAIN' : '250-mailbox\r\n250 STARTTLS');
        break;
      case 'STARTTLS':
        reply('220 go on');
        socket.removeAllListeners('data');
        converse(conversation.secured(), true, conversation);
        break;
      case 'AUTH': {
        const told = Buffer.from(argument.replace(/^PLAIN /, ''), 'base64').toString();
        mail.login = told.split('\0').slice(1).join(':');
        reply('235 welcome');
        break;
      }
      case 'MAIL':
        mail.from = addressIn(argument);
        reply('250 ok');
        break;
      case 'RCPT':
        mail.to.push(addressIn(argument));
        reply('250 ok');
        break;
      case 'DATA':
        isText = true;
        reply('354 go on');
        break;
      case 'QUIT':
        reply('221 bye');
        socket.end();
        break;
      default:
        reply('502 what?');
    }
  };
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    const lines = (unread + bytes.toString()).split('\r\n');
    unread = lines.pop() ?? '';
    for (const line of lines) takeLine(line);
  });
}

function addressIn(argument: string): string {
  return /<([^>]*)>/.exec(argument)?.[1] ?? '';
}

/** The subject of a mail and its only text, both decoded. */
export function readMail({ source }: ReceivedMail): { subject: string; text: string } {
  const subject = /^Subject: (.*)$/m.exec(source)?.[1] ?? '';
  const [, encoded = ''] = /\n(?:Content-[^\n]*\n)+\n([\s\S]*?)\n--/.exec(source) ?? [];
  return { subject: decodedWords(subject), text: fromQuotedPrintable(encoded).trim() };
}

function decodedWords(header: string): string {
  return header.replaceAll(/=\?utf-8\?q\?([^?]*)\?=/gi, (_, word: string) =>
    fromQuotedPrintable(word.replaceAll('_', ' ')),
  );
}

function fromQuotedPrintable(text: string): string {
  const bytes = text
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
