import type { ReportRow } from '../../worker/alerts/reports/contract'
import { describeExploits } from '../../worker/domain/report-words'
import { AppLink } from '../ui/app-link'
import { KevMark } from '../ui/kev-mark'
import { Mark } from '../ui/mark'
import { ScoreBadge } from '../ui/score-badge'
import classes from './report.module.css'

type Props = { rows: ReportRow[]; rawNames: Map<string, string>; isOfProduct?: boolean }

export const ReportRows = ({ rows, rawNames, isOfProduct = false }: Props) => (
  <table className={classes.rows}>
    <thead>
      <tr>
        <th scope="col">Status</th>
        {!isOfProduct && <th scope="col">Product</th>}
        <th scope="col">{isOfProduct ? 'What changed' : 'Summary'}</th>
        <th scope="col">CVSS</th>
        <th scope="col">Score</th>
        <th scope="col">Exploits</th>
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.id}>
          <td>
            {row.is_new ? 'New' : 'Update'}
            {row.is_held && <Mark tone="quiet">Held back</Mark>}
          </td>
          {!isOfProduct && (
            <td>
              {row.products[0] ?? '–'}
              {row.products.length > 1 && <span className={classes.quiet}> +{row.products.length - 1}</span>}
              <div className={classes.quiet}>{rawNames.get(row.products[0] ?? '')}</div>
            </td>
          )}
          <td className={classes.text}>
            <AppLink to={`/vulns/${row.id}`}>{row.name}</AppLink>
            <div>{isOfProduct ? row.changed.join(' · ') || 'Nothing changed since' : row.summary}</div>
          </td>
          <td data-label="CVSS">{row.cvss ?? 'n/a'}</td>
          <td data-label="Score">
            <ScoreBadge score={row.score} isProvisional={row.is_score_provisional} />
          </td>
          <td data-label="Exploits">{row.kev ? <KevMark /> : describeExploits(row)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
