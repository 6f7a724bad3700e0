import type { Json } from '../../kernel/json.ts';
import { checkOtpButtons } from './check-buttons.ts';
import type { ComponentInput } from './component-input.ts';
import type { Loc, Problems } from './problems.ts';

const maxLifeMinutes = 90;

/** Authentication templates have upstream's fixed texts. [upstream §6.2] */
export function checkAuthentication(given: ComponentInput, loc: Loc, problems: Problems): Json {
  if (given.text != null)
    problems.add([...loc, 'text'], 'the texts of an AUTHENTICATION template are fixed: omit text');
  switch (given.type) {
    case 'HEADER':
      problems.add([...loc, 'type'], 'an AUTHENTICATION template has no HEADER');
      return {};
    case 'BODY': {
      const advice = given.add_security_recommendation;
      return { type: 'BODY', ...(advice == null ? {} : { add_security_recommendation: advice }) };
    }
    case 'FOOTER': {
      const minutes = given.code_expiration_minutes ?? 0;
      if (minutes < 1 || minutes > maxLifeMinutes)
        problems.add([...loc, 'code_expiration_minutes'], `must be 1 to ${maxLifeMinutes}`);
      return { type: 'FOOTER', code_expiration_minutes: minutes };
    }
    case 'BUTTONS':
      return {
        type: 'BUTTONS',
        buttons: checkOtpButtons(given.buttons ?? [], [...loc, 'buttons'], problems),
      };
  }
}
