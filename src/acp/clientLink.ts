/** A session's view of its client: the protocol's messages, and the client's capabilities. */
import type {
  ClientCapabilities,
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';

export interface ClientLink {
  /** Resolves once it is written; never rejects. */
  update(update: SessionUpdate): Promise<void>;
  /** Rejects if the client cannot answer or has disconnected; an abort cancels the request and rejects at once. */
  askPermission(
    request: Omit<RequestPermissionRequest, 'sessionId'>,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse>;
  /** As `askPermission`; only if the client shows forms. */
  askForm(
    request: Pick<FormRequest, 'message' | 'requestedSchema'>,
    signal: AbortSignal,
  ): Promise<CreateElicitationResponse>;
}

type FormRequest = Extract<CreateElicitationRequest, { mode: 'form' }> & { message: string };

export interface ClientAbilities {
  readonly notices: boolean;
  readonly compaction: boolean;
  readonly forms: boolean;
}

export function abilitiesOf({ session, elicitation }: ClientCapabilities): ClientAbilities {
  return {
    notices: session?.notices != null,
    compaction: session?.compaction != null,
    forms: elicitation?.form != null,
  };
}
