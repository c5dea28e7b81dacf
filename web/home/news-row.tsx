import { IconEye } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { ExploitRow } from '../../worker/exploits/contract'
import type { NewsVuln } from '../../worker/home/contract'
import { ExploitSource, Relevancy } from '../exploits/exploit-columns'
import { AppLink, OutLink } from '../ui/app-link'
import { ProductLabel } from '../ui/product-name'
import { RunVerdictMark } from '../ui/run-verdict-mark'
import { ScoreBadge } from '../ui/score-badge'
import { Timestamp } from '../ui/timestamp'
import { FamousNames } from '../vulns/vuln-cells'
import classes from './news.module.css'

type Product = { vendor: string; name: string }

/** `words` stand in for the title or summary. */
type Props = { vuln: NewsVuln; words?: string; aside: ReactNode; beneath?: ReactNode }

export const NewsRow = ({ vuln, words = vuln.title ?? vuln.summary, aside, beneath }: Props) => (
  <div className={classes.row}>
    <span className={classes.score}>
      <ScoreBadge of={vuln} isBare />
    </span>
    <div className={classes.about}>
      <p className={classes.line}>
        <Name to={`/vulns/${vuln.id}`} name={vuln.known_as} monitored={vuln.monitored} />
        <RunVerdictMark verdict={vuln.run_verdict} />
      </p>
      <p className={classes.quiet} title={words}>
        <FamousNames cveid={vuln.cveid} end=" · " />
        {productWords(vuln.products, vuln.product_count)}
        {words}
      </p>
    </div>
    <Aside first={aside} second={beneath} />
  </div>
)

export const ExploitNews = ({ exploit }: { exploit: ExploitRow & { monitored: boolean } }) => {
  const { vuln_id, cveid, link, source, published, modified, monitored, relevancy_level, products } = exploit
  return (
    <div className={classes.row}>
      <span className={classes.score}>
        <Relevancy level={relevancy_level} />
      </span>
      <div className={classes.about}>
        <p className={classes.line}>
          <Name to={`/vulns/${vuln_id}?tab=exploits`} name={cveid ?? `PH-${vuln_id}`} monitored={monitored} />
        </p>
        <p className={classes.quiet}>
          <FamousNames cveid={cveid} end=" · " />
          {productWords(products, products.length)}
          <OutLink href={link} inherit>
            {link.replace(/^https?:\/\/(www\.)?/i, '')}
          </OutLink>
        </p>
      </div>
      <Aside first={<Timestamp at={published ?? modified} />} second={<ExploitSource source={source} />} />
    </div>
  )
}

const Aside = ({ first, second }: { first: ReactNode; second: ReactNode }) => (
  <div className={classes.aside}>
    <span>{first}</span>
    <span className={classes.second}>{second}</span>
  </div>
)

const Name = ({ to, name, monitored }: { to: string; name: string; monitored: boolean }) => (
  <span className={classes.name}>
    <AppLink to={to} fw={600} underline="hover">
      {name}
    </AppLink>
    {monitored && (
      <span className={classes.watched} title="You monitor it">
        <IconEye size={14} role="img" aria-label="Monitored" />
      </span>
    )}
  </span>
)

function productWords([first]: Product[], count: number) {
  if (!first) return null
  return (
    <>
      <strong>
        <ProductLabel name={first.name} />
      </strong>
      {count > 1 && ` +${count - 1}`}
      {' – '}
    </>
  )
}
