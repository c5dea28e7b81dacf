import { IconArrowsDiff } from '@tabler/icons-react'
import type { AffectedItem } from '../../../worker/vulns/detail/contract'
import { Mark } from '../../ui/mark'
import { Versions } from '../versions'
import { Fixed } from './fixed-versions'
import { SourceName } from './source-name'
import { shownVersions, StatementList } from './statements'
import type { SourceStatement } from './statements'
import classes from '../vuln-detail.module.css'

type Props = { item: Omit<AffectedItem, 'id'>; statements: SourceStatement[] }

export function AffectedVersions({ item, statements }: Props) {
  const { versions, versions_count, fixed, first_unlisted, sources, is_disputed, is_name_only } = item
  if (is_name_only) return <Note sources={sources} />
  if (versions.length === 0) return <StatementList statements={statements} />
  const marks = (
    <>
      {sources.map((source) => (
        <Mark key={source} tone="plain">
          <SourceName source={source} />
        </Mark>
      ))}
      {is_disputed && (
        <Mark tone="warning" icon={IconArrowsDiff} title="Open to see what each says">
          Sources disagree
        </Mark>
      )}
    </>
  )
  const tellsMore = statements.length > 1 || statements.some((one) => one.versions_count !== versions_count)
  return (
    <>
      <Versions versions={versions} versions_count={versions_count} limit={shownVersions} />
      {fixed.length > 0 && first_unlisted.length > 0 && (
        <p className={classes.fixes}>
          First not listed as affected: <Fixed versions={first_unlisted} />
        </p>
      )}
      {tellsMore ? (
        <details className={classes.bySource}>
          <summary>{marks}</summary>
          <StatementList statements={statements} />
        </details>
      ) : (
        <p className={classes.sources}>{marks}</p>
      )}
    </>
  )
}

const Note = ({ sources }: { sources: string[] }) => (
  <>
    <span className={classes.note}>No versions named</span>
    <p className={classes.sources}>
      {sources.map((source) => (
        <Mark key={source} tone="plain">
          <SourceName source={source} />
        </Mark>
      ))}
    </p>
  </>
)
