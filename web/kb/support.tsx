import { Anchor, Group, Title } from '@mantine/core'
import { findOwnRelease } from '../../worker/domain/versions/end-of-life'
import type { Lifecycle } from '../../worker/taxonomy/contract'
import { SupportMark } from '../ui/support-mark'
import classes from './kb.module.css'

/** Ended releases that are named; the others are counted. */
const shownEnded = 1

/** Until when the releases of a product or package are supported; of a chosen version, its release first. */
export const SupportList = ({ lifecycles, version }: { lifecycles: Lifecycle[]; version: string | undefined }) =>
  lifecycles.map((lifecycle) => <OneLifecycle key={lifecycle.link} lifecycle={lifecycle} version={version} />)

function OneLifecycle({ lifecycle, version }: { lifecycle: Lifecycle; version: string | undefined }) {
  const { label, link, releases, pinned } = lifecycle
  const matching = version === undefined && pinned === null ? undefined : findOwnRelease(lifecycle, version ?? '')
  const others = releases.filter((release) => release !== matching)
  const running = others.filter(({ state }) => state !== 'ended')
  const ended = others.filter(({ state }) => state === 'ended')
  const named = [...(matching ? [matching] : []), ...running, ...ended.slice(0, shownEnded)]
  const more = ended.length - Math.min(ended.length, shownEnded)
  return (
    <section aria-label={`Support of ${label}`}>
      <Title order={2}>Support of {label}</Title>
      {version !== undefined && !matching && <p className={classes.note}>No release that is listed holds {version}.</p>}
      <ul className={classes.aliases}>
        {named.map((release) => (
          <li key={release.name}>
            <Group>
              <strong>
                {release === matching && version !== undefined ? `${version} is of ${release.label}` : release.label}
              </strong>
              <SupportMark {...release} />
              {release.latest && <span className={classes.note}>newest {release.latest}</span>}
            </Group>
          </li>
        ))}
      </ul>
      <p className={classes.note}>
        {more > 0 && `${more} more ended. `}
        <Anchor href={link} target="_blank" rel="noreferrer">
          By endoflife.date
        </Anchor>
      </p>
    </section>
  )
}
