import type { ReportFacts } from '../../worker/alerts/reports/contract'
import { bandLabels, openBands } from '../../worker/domain/report-words'
import classes from './report.module.css'

export function ReportPicture({ report }: { report: ReportFacts }) {
  const { open, new: added, updated, fixed, held } = report
  const longest = Math.max(1, ...openBands.map((band) => open[band]))
  const numbers = { New: added, Changed: updated, Fixed: fixed, 'Held back': held }
  return (
    <div className={classes.picture}>
      <dl className={classes.numbers}>
        {Object.entries(numbers).map(([label, count]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{count}</dd>
          </div>
        ))}
      </dl>
      <table className={classes.bars}>
        <caption>Open at the end, by score</caption>
        <tbody>
          {openBands.map((band) => (
            <tr key={band}>
              <th scope="row">{bandLabels[band]}</th>
              <td
                className={classes.bar}
                aria-hidden
                data-band={band}
                style={{ backgroundSize: `${Math.ceil((100 * open[band]) / longest)}% 12px` }}
              />
              <td className={classes.count}>{open[band]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
