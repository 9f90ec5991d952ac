import type { ModelList } from '../../commands/types.ts';
import { hasAuthorization } from '../../model/http/customHeaders.ts';
import type { HttpSend } from '../../model/http/types.ts';
import { anthropicHeaders } from '../../model/servers/askHttp.ts';
import { OFFICIAL_URL } from '../../protocol/models/modelNames.ts';
import { type Endpoint, type Endpoints, providerFacts } from './endpoints.ts';
import { listModels } from './modelChoice.ts';

/** Models of one endpoint; a gateway may list thousands. */
const MAX_MODELS = 1000;

/** Asks all endpoints at once, each with its own key and time limit. Never rejects. */
export async function listAllModels({ all, nameOf }: Endpoints, send: HttpSend): Promise<ModelList> {
  const asked = all.filter((endpoint) => all.length === 1 || isSetUp(endpoint));
  const lists = await Promise.all(
    asked.map(async (endpoint) => {
      const { ids, problem } = await listOf(endpoint, send);
      const named = endpoint.name === undefined ? problem : `${endpoint.name}: ${problem}`;
      return {
        ids: ids.slice(0, MAX_MODELS).map((id) => nameOf(endpoint, id)),
        problems: problem === undefined || named === undefined ? [] : [named],
      };
    }),
  );
  const problems = lists.flatMap((list) => list.problems);
  return {
    ids: lists.flatMap(({ ids }) => ids),
    ...(problems.length === 0 ? {} : { problem: problems.join('\n') }),
  };
}

/** False for OpenAI without a key: the user has named providers instead. */
function isSetUp({ name, baseUrl, key, headers }: Endpoint): boolean {
  return (
    name !== undefined || baseUrl !== OFFICIAL_URL || key.known !== undefined || hasAuthorization(headers)
  );
}

/** Models named in the settings are listed even if the server is down or has no list. */
async function listOf(endpoint: Endpoint, send: HttpSend): Promise<ModelList> {
  const { baseUrl, headers, key, named } = endpoint;
  const answer = await key.get();
  if ('problem' in answer) return { ids: named, problem: answer.problem };
  const about = {
    hasKey: answer.key !== undefined || hasAuthorization(headers),
    ...providerFacts(endpoint),
  };
  const { ids, problem } = await (endpoint.wire === 'anthropic' && answer.key !== undefined
    ? listModels(anthropicUrl(baseUrl), undefined, {
        ...{ send, about },
        headers: { ...anthropicHeaders(answer.key), ...headers },
      })
    : listModels(baseUrl, answer.key, { send, headers, about }));
  return { ids: [...new Set([...ids, ...named])], ...(problem === undefined ? {} : { problem }) };
}

/** Its base URL is written without a version. */
function anthropicUrl(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;
}
