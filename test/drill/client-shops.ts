import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as mtn from 'mtn-momo';
import { ROOT } from '../docs/documents.ts';
import type { Application, DrillOrder, DrillOutcome } from '../support/momo-mock.ts';
import { openWebhookServer } from './webhook-server.ts';

const require = createRequire(import.meta.url);
/** It has no types. */
const MpesaNode = require('mpesa-node');

interface Order extends DrillOrder {
  state: DrillOutcome['state'];
  id?: string;
}

interface Client {
  /** Starts a payment, and returns what finds it. */
  pay(order: Order, webhook: string): Promise<string>;
  read(order: Order, id: string): Promise<DrillOutcome['state']>;
}

/** A shop that is as right as its client library allows: it pays once, and asks for the state. */
async function openShop({ pay, read }: Client): Promise<Application & { close(): Promise<void> }> {
  const orders = new Map<string, Order>();
  const check = async (order: Order | undefined): Promise<void> => {
    if (order?.id === undefined || order.state !== 'pending') return;
    order.state = await read(order, order.id);
  };
  const server = await openWebhookServer(async (_json, path) =>
    check(orders.get(path.split('/')[2] ?? '')),
  );
  return {
    webhook: server.webhook,
    pay: async (given) => {
      if (orders.has(given.order)) return;
      const order: Order = { ...given, state: 'pending' };
      orders.set(given.order, order);
      order.id = await pay(order, `${server.webhook}/${order.order}`);
    },
    outcome: async ({ order }) => orders.get(order)?.state ?? 'pending',
    reconcile: async ({ order }) => await check(orders.get(order)),
    close: server.close,
  };
}

/** With the client library mtn-momo of npm. */
export function openMtnClientShop() {
  const clients = new Map<string, ReturnType<ReturnType<typeof mtn.create>['Collections']>>();
  const clientOf = ({ provider: { apiKey, credentials } }: Order) => {
    const { apiUser: userId = '', apiUserKey: userSecret = '' } = credentials;
    const client =
      clients.get(apiKey) ??
      mtn
        .create({ callbackHost: '127.0.0.1' })
        .Collections({ primaryKey: apiKey, userId, userSecret });
    clients.set(apiKey, client);
    return client;
  };
  return openShop({
    pay: (order, callbackUrl) =>
      clientOf(order).requestToPay({
        amount: `${order.amount}`,
        currency: order.currency,
        externalId: order.order,
        payer: { partyIdType: mtn.PayerType.MSISDN, partyId: order.phone },
        callbackUrl,
      }),
    read: async (order, id) => {
      const failures = [mtn.ApprovalRejectedError, mtn.NotEnoughFundsError, mtn.ExpiredError];
      try {
        const { status } = await clientOf(order).getTransaction(id);
        return status === 'SUCCESSFUL' ? 'paid' : 'pending';
      } catch (error) {
        if (failures.some((type) => error instanceof type)) return 'failed';
        throw error;
      }
    },
  });
}

/** With the client library mpesa-node of npm. */
export function openMpesaClientShop() {
  const clientOf = ({ provider: { apiKey, credentials } }: Order) =>
    new MpesaNode({
      consumerKey: apiKey,
      consumerSecret: credentials.consumerSecret,
      environment: 'sandbox',
      shortCode: credentials.shortcode,
      initiatorName: credentials.initiatorName,
      lipaNaMpesaShortCode: credentials.shortcode,
      lipaNaMpesaShortPass: credentials.passkey,
      securityCredential: 'password',
      certPath: join(ROOT, 'node_modules/mpesa-node/keys/sandbox-cert.cer'),
    });
  return openShop({
    pay: async (order, webhook) => {
      const { phone, amount, order: id } = order;
      const { data } = await clientOf(order).lipaNaMpesaOnline(Number(phone), amount, webhook, id);
      return data.CheckoutRequestID;
    },
    read: async (order, id) => {
      const { data } = await clientOf(order).lipaNaMpesaQuery(id);
      // A response may be HTML, which axios gives as text.
      const { ResultCode: code = '4999' } = data;
      if (code === '4999') return 'pending';
      return code === '0' ? 'paid' : 'failed';
    },
  });
}
