import type { Template } from '../../rules/templates/template.ts';
import type { Snapshot } from '../audit/index.ts';
import { marked } from '../audit/index.ts';

/** What the audit log shows of a template: of its content only whether it differs. */
export function templateSnapshot({
  id,
  accountId,
  name,
  language,
  category,
  components,
}: Template): Snapshot {
  const content = marked(`${components.length} components`, JSON.stringify(components));
  return { accountId, subject: id, shown: { name, language, category, content } };
}
