/** Bodies of the API's responses. A test compares these types with the API contract. */

export interface Quota {
  readonly plan: 'free' | 'paid';
  readonly paid_quota_remaining: number;
  readonly free_quota: {
    readonly limit: number;
    readonly used: number;
    readonly remaining: number;
    readonly resets_at: string;
  };
}

export interface Me extends Quota {
  readonly user_id: string;
  readonly email: string;
  /** Whether emails are sent when files run low. */
  readonly quota_mails: boolean;
  readonly created_at: string;
}

export interface CodeRequested {
  readonly success: true;
  /** Seconds. */
  readonly expires_in: number;
  /** Seconds until another code can be requested. */
  readonly retry_after: number;
}

export interface KeyRecord {
  readonly id: string;
  readonly key?: string | undefined;
  readonly prefix: string;
  readonly name: string;
  readonly comment: string;
  readonly status: 'active' | 'revoked';
  readonly has_secret: boolean;
  readonly today_used: number;
  /** Charged files, which count toward `monthly_limit`. */
  readonly month_used: number;
  readonly all_time_used: number;
  readonly monthly_limit: number | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  /** When the overlap with its replacement ends. */
  readonly revokes_at: string | null;
  readonly revoked_at: string | null;
  /** Files per day, oldest first; present only if the request asked for it. */
  readonly recent?: readonly number[] | undefined;
}

/** A request that was made with a key. */
export interface KeyRequest {
  readonly at: string;
  /** The pattern of its path. */
  readonly route: string;
  readonly status: number;
  /** The error code; null if it succeeded. */
  readonly code: string | null;
  readonly bytes_in: number | null;
  readonly bytes_out: number | null;
  readonly milliseconds: number;
  /** Results that were charged. */
  readonly charged: number;
}

export interface KeyRequests extends List<KeyRequest> {
  /** Whether this deployment records requests. */
  readonly recording: boolean;
}

export interface SiteRecord {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly source: string;
  readonly signed: boolean;
  /** The current one first; `until` is when the one that it replaces ends. */
  readonly secrets: readonly { readonly secret: string; readonly until: string | null }[];
  readonly presets: Readonly<Record<string, string>>;
  readonly presets_only: boolean;
  readonly monthly_limit: number | null;
  readonly cache_seconds: number;
  readonly on_error: 'original' | 'error';
  readonly status: 'active' | 'paused';
  /** Results made, which count toward `monthly_limit`. */
  readonly month_used: number;
  readonly all_time_used: number;
  readonly last_used_at: string | null;
}

/** An image below the source of a site. */
export interface SiteCheck {
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly plan: readonly {
    readonly format: string;
    readonly possible: boolean;
    readonly detail?: string | undefined;
  }[];
}

export interface Figures {
  readonly files: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly bytes_saved: number;
}

export interface Statistics {
  readonly from: string;
  readonly to: string;
  readonly totals: Figures;
  readonly days: readonly (Figures & { readonly date: string })[];
  /** Whole months that are no longer kept by day, as YYYY-MM. */
  readonly months: readonly (Figures & { readonly month: string })[];
  readonly keys: readonly (Figures & {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
  })[];
}

export interface Pack {
  readonly id: string;
  readonly files: number;
  readonly amount: number;
  readonly currency: string;
}

export interface Payment {
  readonly id: string;
  readonly created_at: string;
  readonly pack: string;
  readonly files: number;
  readonly amount: number;
  readonly currency: string;
  readonly status: 'pending' | 'paid' | 'refunded' | 'failed';
  /** URL of Stripe's receipt; null if there is none. */
  readonly receipt_url: string | null;
}

export interface List<Item> {
  readonly items: readonly Item[];
}

/** Problem details (RFC 9457), with the members used here. */
export interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly type: string;
  readonly request_id: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[] | undefined;
}
