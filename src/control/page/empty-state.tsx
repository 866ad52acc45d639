import { usePage } from './action.ts';
import { CopyLine } from './copy-button.tsx';
import type { PageState } from './page-state.ts';
import { trustOption } from './request-curl.ts';
import { curlLine, KEY } from './shell.ts';

/** The key that works where no keys are configured. */
const DEFAULT_KEY = 'momo_test_key';

/** What stands in place of the table while there is no request to show. */
export function EmptyState({ isFiltered }: { isFiltered: boolean }) {
  const { model, state } = usePage();
  const { overview } = state;
  if (isFiltered) return <p class="empty">No request matches the filter.</p>;
  return (
    <div class="empty">
      <p>Waiting for the first request. Point your client at the service, or try it:</p>
      {overview !== null && (
        <CopyLine
          line={curlLine({
            method: 'GET',
            url: `${overview.url}/momo/balance?apikey=${keyOf(state)}`,
            options: [
              trustOption({
                ...{ url: overview.url, file: overview.certificate.file },
                origin: model.client.origin,
              }),
            ],
          })}
          label="Copy the command to try it"
        />
      )}
    </div>
  );
}

/** The key of the line: the one that is documented, if no other is configured. */
function keyOf({ overview }: PageState): string {
  const setting = overview?.settings.find(({ name }) => name === 'MOMO_MOCK_API_KEYS');
  return setting?.value === null ? DEFAULT_KEY : KEY;
}
