import { z } from 'zod'
import { packageType } from '../domain/purl'
import { endpoint } from '../http/endpoint'
import { Flag, Id } from '../http/fields'

const Name = z.string().trim().min(1).max(500)
const Toggled = z.literal('toggled.')

export const toggleVendor = endpoint({
  method: 'POST',
  alsoMethod: 'PUT',
  path: '/api/monitor/vendor/toggle',
  cost: 10,
  access: 'member',
  summary: 'Monitor a vendor with all its products, or stop',
  body: z
    .object({ vendor_id: Id.optional(), vendor_name: Name.optional(), monitored: Flag, organization_id: Id.optional() })
    .refine((body) => body.vendor_id ?? body.vendor_name, {
      path: ['vendor_name'],
      message: 'Required without vendor_id',
    }),
  reply: Toggled,
})

export const togglePackage = endpoint({
  method: 'POST',
  alsoMethod: 'PUT',
  path: '/api/monitor/package/toggle',
  access: 'member',
  summary: 'Monitor a package, or stop',
  body: z
    .object({
      package_id: Id.optional(),
      package_type: Name.transform(packageType).optional(),
      package_name: Name.optional(),
      monitored: Flag,
      organization_id: Id.optional(),
    })
    .refine((body) => body.package_id ?? (body.package_type && body.package_name), {
      path: ['package_id'],
      message: 'Required without package_type and package_name',
    }),
  reply: Toggled,
})

export const toggleProduct = endpoint({
  method: 'POST',
  alsoMethod: 'PUT',
  path: '/api/monitor/product/toggle',
  access: 'member',
  summary: 'Monitor a product, or stop',
  body: z
    .object({
      product_id: Id.optional(),
      vendor_name: Name.optional(),
      product_name: Name.optional(),
      monitored: Flag,
      organization_id: Id.optional(),
    })
    .refine((body) => body.product_id ?? (body.vendor_name && body.product_name), {
      path: ['product_name'],
      message: 'Required with vendor_name, without product_id',
    }),
  reply: Toggled,
})
