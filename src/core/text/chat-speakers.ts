/**
 * The names of those who speak in a chat, as alternatives of a regular expression that ignores case. Names that other
 * texts have before a colon as well, such as `Answer: 42` or `Tool: hammer`, are added by who can tell them apart.
 */

/** The person who asks. */
export const userNamesPattern = 'you|me|user|human';

/** The programs that answer. */
export const assistantNamesPattern =
  '(?:(?:github |microsoft )?copilot|chatgpt|gpt|claude|codex|gemini|bard|cursor|llama|mistral|deepseek|grok|perplexity|assistant|ai|bot|model)';
