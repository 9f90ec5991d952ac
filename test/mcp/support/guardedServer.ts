/** The test server on loopback behind OAuth, with its own authorization server: registration, PKCE, refresh. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveMcp, type WebServer } from './webServer.ts';

export interface GuardedServer extends WebServer {
  /** Expires the current token; a refresh gives a new one. */
  expire(): void;
  /** Makes every refresh fail. */
  revoke(): void;
  /** From now on the token must have been given for this scope. */
  require(scope: string): void;
  /** The scope of each login. */
  readonly scopes: readonly (string | null)[];
  readonly registrations: object[];
}

export async function serveGuarded(): Promise<GuardedServer> {
  let origin = '';
  let count = 0;
  let token = '';
  let isRevoked = false;
  let required = '';
  const scopes: (string | null)[] = [];
  const challenges = new Map<string, string>();
  const registrations: object[] = [];
  const json = (response: ServerResponse, status: number, body: object): true => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return true;
  };
  const bodyOf = async (request: IncomingMessage): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  };
  const issue = (response: ServerResponse): true => {
    token = `token-${++count}`;
    const tokens = {
      access_token: token,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: `refresh-${count}`,
    };
    return json(response, 200, tokens);
  };
  const server = await serveMcp(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    if (pathname === '/.well-known/oauth-protected-resource')
      return json(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (pathname === '/.well-known/oauth-authorization-server')
      return json(response, 200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      });
    if (pathname === '/register') {
      const client = JSON.parse(await bodyOf(request)) as object;
      registrations.push(client);
      return json(response, 201, { ...client, client_id: `client-${registrations.length}` });
    }
    if (pathname === '/authorize') {
      scopes.push(searchParams.get('scope'));
      const code = `code-${challenges.size + 1}`;
      challenges.set(code, searchParams.get('code_challenge') ?? '');
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({ code, state: searchParams.get('state') ?? '' }).toString();
      response.writeHead(302, { location: back.href }).end();
      return true;
    }
    if (pathname === '/token') {
      const given = new URLSearchParams(await bodyOf(request));
      const verifier = createHash('sha256')
        .update(given.get('code_verifier') ?? '')
        .digest('base64url');
      const isGood =
        given.get('grant_type') === 'refresh_token'
          ? !isRevoked && given.get('refresh_token') === `refresh-${count}`
          : challenges.get(given.get('code') ?? '') === verifier;
      return isGood ? issue(response) : json(response, 400, { error: 'invalid_grant' });
    }
    if (token !== '' && request.headers.authorization === `Bearer ${token}`) {
      if (scopes.at(-1)?.split(' ').includes(required) ?? required === '') return false;
      const challenge = `Bearer error="insufficient_scope", scope="${required}"`;
      response.writeHead(403, { 'www-authenticate': challenge }).end();
      return true;
    }
    const metadata = `${origin}/.well-known/oauth-protected-resource`;
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
    return true;
  });
  ({ origin } = server);
  return {
    ...server,
    registrations,
    scopes,
    require(scope) {
      required = scope;
    },
    expire() {
      token = '';
    },
    revoke() {
      token = '';
      isRevoked = true;
    },
  };
}
