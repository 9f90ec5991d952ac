/** The answer to `get_context_usage`: the numbers of `/context` in the form that Claude Code's SDKs expect. In tokens. */
import type { ContextReport } from '../../protocol/contextReport.ts';
import type { McpServerStatus } from '../../protocol/extensions/mcp.ts';

/** Our parts of a request under the ids that readers know; what is not listed is a part of the messages. */
const known: Readonly<Record<string, { readonly id: string; readonly name: string }>> = {
  tools: { id: 'system_tools', name: 'Tools' },
  system: { id: 'system_prompt', name: 'System prompt' },
  instructions: { id: 'memory_files', name: 'Memory files' },
};

export function contextResponse(
  { measure, cache }: ContextReport,
  servers: readonly McpServerStatus[],
): object {
  const { model, usedTokens, windowTokens, triggerTokens, parts } = measure;
  const used = parts
    .filter(({ tokens }) => tokens > 0)
    .map(({ name, tokens }) => ({
      ...(known[name] ?? { id: 'messages', name: `Messages: ${name}` }),
      tokens,
      color: 'inactive',
      kind: 'used',
    }));
  const row = (id: string, name: string, tokens: number, kind: string) => ({
    id,
    name,
    tokens,
    color: 'inactive',
    kind,
  });
  return {
    categories: [
      ...used,
      row('free_space', 'Free space', Math.max(0, triggerTokens - usedTokens), 'free'),
      row('autocompact_buffer', 'Autocompact buffer', Math.max(0, windowTokens - triggerTokens), 'buffer'),
    ],
    totalTokens: usedTokens,
    maxTokens: windowTokens,
    rawMaxTokens: windowTokens,
    percentage: Math.round((usedTokens / windowTokens) * 100),
    gridRows: [],
    model,
    memoryFiles: [],
    mcpTools: servers.flatMap(({ name: serverName, tools }) =>
      tools.map(({ name }) => ({ name, serverName, tokens: 0 })),
    ),
    agents: [],
    autoCompactThreshold: triggerTokens,
    isAutoCompactEnabled: true,
    apiUsage:
      cache === undefined
        ? null
        : {
            input_tokens: cache.inputTokens - cache.cachedTokens,
            output_tokens: 0,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: cache.cachedTokens,
          },
  };
}
