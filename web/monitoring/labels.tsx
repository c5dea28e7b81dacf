import { AppLink } from '../ui/app-link'
import classes from './monitoring.module.css'

const shown = 4

type Props = { labels: string[]; href?: (label: string) => string; none?: string }

export function Labels({ labels, href, none = '–' }: Props) {
  if (!labels.length) return <span className={classes.none}>{none}</span>
  const more = labels.length - shown
  return (
    <span className={classes.labels} title={more > 0 ? labels.join(', ') : undefined}>
      {labels.slice(0, shown).map((label) =>
        href ? (
          <AppLink
            key={label}
            to={href(label)}
            className={classes.label}
            aria-label={`Vulnerabilities of the group ${label}`}
          >
            {label}
          </AppLink>
        ) : (
          <span key={label} className={classes.label}>
            {label}
          </span>
        ),
      )}
      {more > 0 && <span className={classes.none}>+{more}</span>}
    </span>
  )
}
