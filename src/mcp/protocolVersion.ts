/**
 * Chooses between the protocol of 2025, with a handshake, and the stateless one of 2026-07-28. Tries the older one
 * first, so servers that support it see no difference. A server that supports only the newer one says so in its
 * response, which is remembered for later connections.
 */
import { type Client, ProtocolErrorCode, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';

/** Remembers, for one server, that it supports only the newer protocol. Never rejects. */
export interface ProtocolMemory {
  isModern(): Promise<boolean>;
  remember(isModern: boolean): Promise<void>;
}

interface Opened {
  readonly client: Pick<Client, 'getProtocolEra'>;
}

/** Connects with the server's protocol version. `open` starts the server again; `auto` negotiates the version. */
export async function withProtocol<T extends Opened>(
  open: (mode: 'legacy' | 'auto') => Promise<T>,
  { protocolMemory, signal }: { protocolMemory?: ProtocolMemory | undefined; readonly signal: AbortSignal },
): Promise<T> {
  const isKnownModern = (await protocolMemory?.isModern()) === true;
  if (isKnownModern) {
    try {
      const opened = await open('auto');
      if (opened.client.getProtocolEra() !== 'modern') await protocolMemory?.remember(false);
      return opened;
    } catch (error) {
      // The server may have been replaced by an older version that ends or stays silent when asked.
      if (signal.aborted || !isUnanswered(error)) throw error;
      await protocolMemory?.remember(false);
      if (error.code === SdkErrorCode.RequestTimeout) throw error;
    }
  }
  try {
    return await open('legacy');
  } catch (error) {
    if (signal.aborted || !isModernOnly(error)) throw error;
  }
  const opened = await open('auto');
  if (opened.client.getProtocolEra() === 'modern') await protocolMemory?.remember(true);
  return opened;
}

function isUnanswered(error: unknown): error is SdkError {
  if (!(error instanceof SdkError)) return false;
  return error.code === SdkErrorCode.EraNegotiationFailed || error.code === SdkErrorCode.RequestTimeout;
}

/**
 * True if the server rejected the handshake because it supports only the newer protocol: it reports that protocol's
 * error, or does not know the method, which every older server knows.
 */
function isModernOnly(error: unknown): boolean {
  const { code, data } = (error ?? {}) as { readonly code?: unknown; readonly data?: { text?: unknown } };
  const answered = typeof data?.text === 'string' ? codeIn(data.text) : code;
  return (
    answered === ProtocolErrorCode.UnsupportedProtocolVersion || answered === ProtocolErrorCode.MethodNotFound
  );
}

/** Over HTTP, the error is the body of an answer with status 400. */
function codeIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { readonly error?: { readonly code?: unknown } } | null)?.error?.code;
  } catch {
    return undefined;
  }
}
