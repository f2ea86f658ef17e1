/**
 * Addresses of scripts to be started. The page's policy (Trusted Types) takes them from here alone, and
 * only files of this site come through.
 */
interface ScriptPolicy {
  createScriptURL(address: string): unknown;
}

declare global {
  var trustedTypes: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy } | undefined;
}

function ownScript(address: string): string {
  const url = new URL(address, import.meta.url);
  if (url.origin === new URL(import.meta.url).origin) return url.href;
  throw new TypeError(`Scripts come from this site, not from ${url.host}.`);
}

const rules: ScriptPolicy = { createScriptURL: ownScript };
const policy = globalThis.trustedTypes?.createPolicy('busyard', rules) ?? rules;

/** An address that a worker may have: a string where the browser does not tell apart who made it. */
export const scriptUrl = (address: string): string => policy.createScriptURL(address) as string;
