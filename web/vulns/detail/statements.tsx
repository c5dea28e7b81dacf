import { Fixed } from './fixed-versions'
import { SourceName } from './source-name'
import { Versions } from '../versions'
import classes from '../vuln-detail.module.css'

export type SourceStatement = {
  source: string
  versions: string[]
  versions_count: number
  fixed: string[]
  first_unlisted: string[]
  is_name_only?: boolean
}

export const shownVersions = 4

export const StatementList = ({ statements }: { statements: SourceStatement[] }) =>
  statements.map((statement) => (
    <div key={statement.source} className={classes.statement}>
      {statement.is_name_only ? (
        <span className={classes.note}>No versions named</span>
      ) : (
        <Versions {...statement} limit={shownVersions} />
      )}
      <p className={classes.fixes}>
        <SourceName source={statement.source} />
        {statement.fixed.length > 0 && (
          <>
            {' · Fixed in '}
            <Fixed versions={statement.fixed} />
          </>
        )}
        {statement.first_unlisted.length > 0 && (
          <>
            {' · First not listed as affected: '}
            <Fixed versions={statement.first_unlisted} />
          </>
        )}
      </p>
    </div>
  ))
