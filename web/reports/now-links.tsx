import { Fragment } from 'react'
import { reportKinds } from '../../worker/domain/alerts/report-times'
import { AppLink } from '../ui/app-link'

/** To a report of each kind as it would be if it were due now. */
export const NowLinks = () =>
  reportKinds.map((kind, at) => (
    <Fragment key={kind}>
      {at > 0 && ' · '}
      <AppLink to={`/reports/${kind}/now`}>{kind}</AppLink>
    </Fragment>
  ))
