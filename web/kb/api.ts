import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { packageTimeline, productTimeline, vendorTimeline } from '../../worker/kb/timeline/contract'
import { call } from '../lib/call'

export type TimelineSubject = { product: number } | { vendor: number } | { package: number }

export const timelineQuery = (subject: TimelineSubject, query: { page: number; limit: number }) =>
  queryOptions({
    queryKey: ['timeline', subject, query],
    queryFn: ({ signal }) => {
      if ('product' in subject) return call(productTimeline, { params: { id: subject.product }, query, signal })
      if ('vendor' in subject) return call(vendorTimeline, { params: { id: subject.vendor }, query, signal })
      return call(packageTimeline, { params: { id: subject.package }, query, signal })
    },
    placeholderData: keepPreviousData,
  })
