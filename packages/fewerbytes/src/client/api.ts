/**
 * Types of the calls, made from the service's OpenAPI document by openapi-typescript. `npm run docs`
 * writes this file.
 */
export interface paths {
    "/v1/optimize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an image smaller
         * @description Send an image and get a smaller one back in the same call. The image is not stored. Takes JPEG, PNG, WebP, AVIF and GIF of up to 32 MiB. There are three ways to send the image:
         *
         *     - its bytes as the body, with the options in the query; any `Content-Type` other than those below will do, because the format is read from the bytes;
         *     - `multipart/form-data` with the image as `file` and the options as fields;
         *     - JSON with the `url` of the image and the options as further members.
         *
         *     An option that is unknown or given twice is rejected, and so is a query string together with a form or JSON.
         *
         *     If neither format nor dimensions change, the result is never larger than the source. A file is charged only if `Image-Optimized` is `true`.
         */
        post: operations["optimize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a whole set of images
         * @description Send an image once, and get it back in several widths and formats, with the markup that shows them. Takes JPEG, PNG, WebP, AVIF and GIF of up to 32 MiB.
         *
         *     The response is a ZIP archive that leaves while it is being made: files named `<name>-<width>.<extension>`, each with the bytes that a call of its own would give, and last `manifest.json`, [a list of them with the markup](/docs/sets). If a result fails, the manifest says so, and has the others. If the archive breaks off, the rest was not made, and is not charged.
         *
         *     There are three ways to send the image:
         *
         *     - its bytes as the body, with the options in the query; any `Content-Type` other than those below will do, because the format is read from the bytes;
         *     - `multipart/form-data` with the image as `file` and the options as fields;
         *     - JSON with the `url` of the image and the options as further members.
         *
         *     An option that is unknown or given twice is rejected, and so is a query string together with a form or JSON.
         *
         *     Each result that is at least 1% smaller than the upload counts one file; a file for each is reserved before anything is made.
         */
        post: operations["optimizeSet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An error, as problem details (RFC 9457). */
        Problem: {
            /**
             * Format: uri
             * @description URL of the entry for `code` on the error page.
             */
            type: string;
            /** @description A short summary, the same for every error with this `code`. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description One sentence that says what to do. */
            detail: string;
            /**
             * @description Stable: rely on this in your code.
             * @enum {string}
             */
            code: "invalid_email" | "email_domain_not_allowed" | "invalid_request" | "invalid_options" | "source_not_allowed" | "email_undeliverable" | "turnstile_failed" | "invalid_signature" | "key_in_query" | "invalid_code" | "auth_required" | "invalid_api_key" | "quota_exceeded" | "key_limit_exceeded" | "origin_not_allowed" | "invalid_url_signature" | "url_expired" | "site_paused" | "preset_required" | "not_found" | "key_not_found" | "site_not_found" | "source_not_found" | "method_not_allowed" | "request_timeout" | "key_not_active" | "key_limit_reached" | "slug_taken" | "site_limit_reached" | "body_too_large" | "image_too_large" | "unsupported_media_type" | "invalid_image" | "max_bytes_unreachable" | "source_fetch_failed" | "too_many_requests" | "site_limit_exceeded" | "internal_error" | "email_not_sent" | "payment_provider_failed" | "overloaded" | "payments_not_configured" | "delivery_loop";
            /** @description The same as the `Request-Id` header. */
            request_id: string;
            /** @description One entry per problem: `path` names the field or option, `message` says what is wrong with it. Only with `invalid_request` and `invalid_options`. */
            errors?: {
                /** @description The field or option. Empty: the whole body. */
                path: string;
                message: string;
            }[];
            /**
             * Format: date-time
             * @description When the next free files become available. Only with `quota_exceeded`.
             */
            free_resets_at?: string;
            /** @description How many files the key may use per UTC month: its `monthly_limit`. Only with `key_limit_exceeded`. */
            limit?: number;
            /**
             * Format: date-time
             * @description When the next month begins, in UTC. Only with `key_limit_exceeded`.
             */
            resets_at?: string;
            /** @description The maximum number of bytes accepted. Only with `body_too_large`. */
            limit_bytes?: number;
            /** @description Width of the upright image in pixels. Only with `image_too_large`. */
            width?: number;
            /** @description Height of the upright image in pixels. Only with `image_too_large`. */
            height?: number;
            /** @description How many pixels would fit, at the proportions of this image; of an animation, in each frame. Only with `image_too_large`. */
            limit_pixels?: number;
            /** @description How many frames the animation has, if that is what makes it too large. Only with `image_too_large`. */
            frames?: number;
            /** @description How many frames of this size would fit; sent with `frames`. Only with `image_too_large`. */
            limit_frames?: number;
            /** @description The size of the smallest result that still has an acceptable quality, in bytes. Only with `max_bytes_unreachable`. */
            smallest_bytes?: number;
            /** @description How many results of a set would not take too long together, if that is what is wrong. Only with `invalid_options`. */
            limit_results?: number;
            /** @description The media types that this call accepts. Only with `unsupported_media_type`. */
            supported?: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Identifies this request. Quote it when you ask for help.
         * @example 5f0c9f7e-3f0a-4a53-9c58-0e6b8f3f0c11
         */
        "Request-Id": string;
        /**
         * @description Responses must not be stored.
         * @example no-store
         */
        "Cache-Control": "no-store";
        /**
         * @description Seconds until a retry can succeed.
         * @example 60
         */
        "Retry-After": number;
        /**
         * @description How to authenticate.
         * @example Bearer
         */
        "WWW-Authenticate": "Bearer";
        /**
         * @description The methods that this path supports.
         * @example POST, OPTIONS
         */
        Allow: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    optimize: {
        parameters: {
            query?: {
                /** @description The format of the result. `keep` keeps that of the source. `auto` returns the smallest of the source’s own format, WebP and AVIF, limited to those that `Accept` allows; without `Accept`, or with `*\/*`, all of these are allowed. JPEG XL is tried as well if `Accept` names it (`image/*` does not). Only JPEG files become JPEG XL. Only animations and GIF files become GIF. */
                format?: "keep" | "auto" | "jpeg" | "png" | "webp" | "avif" | "gif" | "jxl";
                /** @description The setting of the encoder. `auto` finds the one that gives the same visible quality in every format, that of `target=medium`. `lossless` preserves every pixel. `1` to `100` is on the scale of the format’s encoder; for PNG it sets how many colours are kept, and 100 is lossless. */
                quality?: ("auto" | "lossless") | number;
                /** @description The visible quality of the result, as a SSIMULACRA2 score. `low` is 65, `medium` 77, where the difference is hardly visible, and `high` 86. Each image gets the encoder’s setting that reaches it; `Image-Score` says what was reached. Cannot be combined with `quality`. */
                target?: ("low" | "medium" | "high") | number;
                /** @description The maximum size of the result in bytes, metadata included. The result has the best quality that fits, up to `target`, or up to a score of 95 without it. Cannot be combined with `quality`. */
                max_bytes?: number;
                /** @description The maximum width of the upright image, in pixels. Without `height`, the height follows in proportion. Images are never enlarged. */
                width?: number;
                /** @description The maximum height of the upright image, in pixels. Without `width`, the width follows in proportion. Images are never enlarged. */
                height?: number;
                /** @description How the image fits the box of `width` and `height`. `inside` makes the whole image as large as the box allows; `outside` makes it as small as covers the box; `cover` fills the box and crops the overflow; `contain` is `inside` with margins up to the sides of the box, in the colour of `background`, otherwise transparent, or white where the format cannot be; `fill` fills the box by stretching. All but `inside` require both `width` and `height`. Images are never enlarged: with `cover` and `fill`, a box that is too large shrinks in proportion. */
                fit?: "inside" | "outside" | "cover" | "contain" | "fill";
                /** @description What `fit=cover` keeps, and where `contain` puts the image. `center`, a side (`top`), a corner (`top-left`), a point as fractions of width and height (`0.3,0.7`), which stays as near to the middle as the crop allows, or `auto`: what is of interest, by its detail, skin and colour. Requires one of these fits. */
                position?: string | ("center" | "top" | "bottom" | "left" | "right" | "top-left" | "top-right" | "bottom-left" | "bottom-right" | "auto");
                /** @description `thumbhash`: the response has the result’s [ThumbHash](https://evanw.github.io/thumbhash/) in `Image-Placeholder`, some 25 bytes from which a page paints the blurred image until it has loaded. */
                placeholder?: "none" | "thumbhash";
                /** @description Which EXIF, XMP and IPTC metadata to keep. `none`: nothing. `copyright`: who made the image and who owns it. `all`: everything, with values that are no longer true corrected. Colours and orientation are always preserved. */
                metadata?: "none" | "copyright" | "all";
                /** @description What to do with an animation. `keep` keeps it moving, and so needs a format that can: what is seen at each instant and the number of plays stay as they are. `first` returns its first frame as a still image, in any format. Still images ignore it. */
                animation?: "keep" | "first";
                /** @description What to do with the gain map that makes a JPEG brighter on HDR screens (Ultra HDR, ISO 21496-1). `keep` keeps it in a JPEG, reduced along with the image. `drop` removes it. Other formats cannot hold one. */
                hdr?: "keep" | "drop";
                /** @description The colour behind a transparent image that is converted to JPEG, as `#rrggbb`. Such a conversion requires it. Also the colour of the margins of `fit=contain`. In a query string, write `#` as `%23`. */
                background?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description The image. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /**
                     * @description Size of the result in bytes.
                     * @example 653067
                     */
                    "Content-Length": number;
                    /**
                     * @description A file name with the extension of the result. The name is that of the file or URL that was sent, otherwise `image`.
                     * @example inline; filename="photo.jpg"
                     */
                    "Content-Disposition": string;
                    /**
                     * @description Width of the upright result, in pixels.
                     * @example 4032
                     */
                    "Image-Width": number;
                    /**
                     * @description Height of the upright result, in pixels.
                     * @example 3024
                     */
                    "Image-Height": number;
                    /**
                     * @description Media type of the source, read from its bytes.
                     * @example image/jpeg
                     */
                    "Image-Input-Type": "image/jpeg" | "image/png" | "image/webp" | "image/avif" | "image/gif";
                    /**
                     * @description Size of the source in bytes.
                     * @example 1813003
                     */
                    "Image-Input-Bytes": number;
                    /**
                     * @description Size of the result in bytes.
                     * @example 653067
                     */
                    "Image-Output-Bytes": number;
                    /**
                     * @description The quality used: a number, `lossless`, or `original` if the encoded image was not touched.
                     * @example 77
                     */
                    "Image-Quality": string;
                    /**
                     * @description How close the result looks to the source (rotated, reduced and flattened as requested), as a SSIMULACRA2 score. At 90 the two are indistinguishable even when flipping between them, at 70 differences are hard to notice. `100`: nothing visible has changed, as in a lossless result or an untouched one; a JPEG XL with all coefficients of its JPEG scores 90 to 97, because its decoders show them differently. That of an animation is the mean of up to eight of its frames. Absent where it is not measured, such as with a number as `quality`, and for images with a side of less than 8 pixels.
                     * @example 77.4
                     */
                    "Image-Score"?: number;
                    /**
                     * @description The format that is estimated to take fewer bytes at the same score. Sent with a WebP or AVIF made from a JPEG, if it takes at least 3% more bytes than a JPEG would.
                     * @example jpeg
                     */
                    "Image-Smaller-As"?: "jpeg";
                    /**
                     * @description What became of the gain map that makes the source brighter on HDR screens; absent if it has none. `gain-map`: the result has it too. `dropped`: the result looks on HDR screens as it does on others.
                     * @example gain-map
                     */
                    "Image-HDR"?: "gain-map" | "dropped";
                    /**
                     * @description The ThumbHash of the result in base64, with `placeholder=thumbhash`; that of an animation shows its first frame. Absent if the source has no pixels that could be read for it: an animated AVIF, or an HDR image (PQ, HLG).
                     * @example 1QcSHQRnh493V4dIh4eXh1h4kJUI
                     */
                    "Image-Placeholder"?: string;
                    /**
                     * @description How many frames the source has, if it is an animation; absent otherwise. The result may have fewer, since equal frames are merged.
                     * @example 24
                     */
                    "Image-Frames"?: number;
                    /**
                     * @description Whether the result is at least 1% smaller than the source. Only then is the file charged.
                     * @example true
                     */
                    "Image-Optimized": boolean;
                    /**
                     * @description Why `Image-Optimized` is `false`; absent otherwise. `already-optimal`: nothing smaller was found. `animated`: an animation of a kind that is not worked on, such as an animated AVIF. `larger-format`: the requested format or size took more bytes.
                     * @example already-optimal
                     */
                    "Image-Reason"?: "already-optimal" | "animated" | "larger-format";
                    /**
                     * @description `optimize`: milliseconds of work, as far as the platform’s clock can tell.
                     * @example optimize;dur=257
                     */
                    "Server-Timing": string;
                    /**
                     * @description `Accept`, with `format=auto`.
                     * @example Accept
                     */
                    Vary?: string;
                    /**
                     * @description Files left after this one, free and paid.
                     * @example 499
                     */
                    "Quota-Remaining": number;
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": unknown;
                    "image/png": unknown;
                    "image/webp": unknown;
                    "image/avif": unknown;
                    "image/gif": unknown;
                    "image/jxl": unknown;
                };
            };
            /**
             * @description - `invalid_request`: The request is malformed: broken JSON, a broken form, a wrong type, a missing field, a value out of range, no image or more than one.
             *     - `invalid_options`: An option is unknown, malformed, given twice, in the query beside a form or JSON, or does not apply to this image.
             *     - `source_not_allowed`: The image URL, or one that it redirects to, is not allowed: not https, a port other than 443 or 80, a user name or password, or a private host.
             *     - `key_in_query`: The query string contains something that looks like an API key. URLs end up in logs, so consider that key leaked.
             */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "invalid_request" | "invalid_options" | "source_not_allowed" | "key_in_query";
                    };
                };
            };
            /** @description - `invalid_api_key`: The API key is missing, malformed, unknown, revoked or expired. The response is the same for all keys; without a key, `detail` says where to make one. */
            401: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "invalid_api_key";
                    };
                };
            };
            /**
             * @description - `quota_exceeded`: The account has neither free nor paid files left.
             *     - `key_limit_exceeded`: This key has reached its `monthly_limit`, including requests in progress. The account still has files left.
             */
            402: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & ({
                        /** @enum {string} */
                        code: "quota_exceeded";
                        /** Format: date-time */
                        free_resets_at: string;
                    } | {
                        /** @enum {string} */
                        code: "key_limit_exceeded";
                        limit: number;
                        /** Format: date-time */
                        resets_at: string;
                    });
                };
            };
            /** @description - `request_timeout`: The upload stalled for 10 seconds, or took more than 120 seconds in all. For a JSON body: more than 10 seconds. */
            408: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "request_timeout";
                    };
                };
            };
            /**
             * @description - `body_too_large`: The body is larger than `limit_bytes`. That is the maximum for this call, or less if processing this file would take much more memory than the file itself.
             *     - `image_too_large`: The image has too many pixels for the memory or the computing time that this format and these options would take. It has `width` × `height`; `limit_pixels` would fit. Or an animation has too many frames, or too many pixels in all of them together: it has `frames`, of which `limit_frames` would fit.
             */
            413: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & ({
                        /** @enum {string} */
                        code: "body_too_large";
                        limit_bytes: number;
                    } | {
                        /** @enum {string} */
                        code: "image_too_large";
                        width: number;
                        height: number;
                        limit_pixels: number;
                    });
                };
            };
            /** @description - `unsupported_media_type`: This call does not read bodies of this type. `supported` lists the types that it reads: image formats, or `application/json` for all other calls. */
            415: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "unsupported_media_type";
                        supported: string[];
                    };
                };
            };
            /**
             * @description - `invalid_image`: The image is damaged or truncated; one damaged frame is enough. Or you asked for an animation in a format that cannot move, such as JPEG. Or you asked for another format or size, and this image can only keep its own: an HDR image, an animated AVIF, or one whose colour space is not known well enough. Or a JPEG that has no counterpart in JPEG XL was to become one.
             *     - `max_bytes_unreachable`: The image does not fit into `max_bytes` with these options, not even at the lowest quality that is still acceptable. `smallest_bytes` is what it would take.
             *     - `source_fetch_failed`: Fetching the image URL failed: the server was unreachable or too slow, redirected too often, or answered with a status other than 200. Nothing of its response is passed on.
             */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & ({
                        /** @enum {string} */
                        code: "invalid_image" | "source_fetch_failed";
                    } | {
                        /** @enum {string} */
                        code: "max_bytes_unreachable";
                        smallest_bytes: number;
                    });
                };
            };
            /** @description - `too_many_requests`: A rate limit was reached. */
            429: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "too_many_requests";
                    };
                };
            };
            /** @description - `internal_error`: Something failed inside the service. Nothing was charged. */
            500: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "internal_error";
                    };
                };
            };
            /** @description - `overloaded`: The service is too busy right now, or part of it is not responding. Nothing was charged. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "overloaded";
                    };
                };
            };
        };
    };
    optimizeSet: {
        parameters: {
            query?: {
                /** @description The widths of the results in pixels: 1 to 10, ascending, separated by commas. Those above the width of the upright image are left out, but for one of its own width. */
                widths?: string;
                /** @description The formats of each width: 1 to 4, separated by commas. `keep` is that of the source, which is not made twice if it is named as well. */
                formats?: string;
                /** @description The proportions of all results, as width and height. Without it, they are those of the image. */
                ratio?: string;
                /** @description The setting of the encoder. `auto` finds the one that gives the same visible quality in every format, that of `target=medium`. `lossless` preserves every pixel. `1` to `100` is on the scale of the format’s encoder; for PNG it sets how many colours are kept, and 100 is lossless. */
                quality?: ("auto" | "lossless") | number;
                /** @description The visible quality of the result, as a SSIMULACRA2 score. `low` is 65, `medium` 77, where the difference is hardly visible, and `high` 86. Each image gets the encoder’s setting that reaches it; `Image-Score` says what was reached. Cannot be combined with `quality`. */
                target?: ("low" | "medium" | "high") | number;
                /** @description The maximum size of the result in bytes, metadata included. The result has the best quality that fits, up to `target`, or up to a score of 95 without it. Cannot be combined with `quality`. */
                max_bytes?: number;
                /** @description How the image gets the proportions of `ratio`, which it requires. `cover` crops, `contain` adds margins, and `fill` stretches. */
                fit?: "cover" | "contain" | "fill";
                /** @description What `fit=cover` keeps of the image, and where `contain` puts it, as for a single image. Requires `ratio`. */
                position?: string | ("center" | "top" | "bottom" | "left" | "right" | "top-left" | "top-right" | "bottom-left" | "bottom-right" | "auto");
                /** @description `thumbhash`: the manifest has the [ThumbHash](https://evanw.github.io/thumbhash/) of the widest result as `placeholder`. */
                placeholder?: "none" | "thumbhash";
                /** @description Which EXIF, XMP and IPTC metadata to keep. `none`: nothing. `copyright`: who made the image and who owns it. `all`: everything, with values that are no longer true corrected. Colours and orientation are always preserved. */
                metadata?: "none" | "copyright" | "all";
                /** @description What to do with an animation. `keep` keeps it moving, and so needs a format that can: what is seen at each instant and the number of plays stay as they are. `first` returns its first frame as a still image, in any format. Still images ignore it. */
                animation?: "keep" | "first";
                /** @description What to do with the gain map that makes a JPEG brighter on HDR screens (Ultra HDR, ISO 21496-1). `keep` keeps it in a JPEG, reduced along with the image. `drop` removes it. Other formats cannot hold one. */
                hdr?: "keep" | "drop";
                /** @description The colour behind a transparent image that is converted to JPEG, as `#rrggbb`. Such a conversion requires it. Also the colour of the margins of `fit=contain`. In a query string, write `#` as `%23`. */
                background?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": unknown;
            };
        };
        responses: {
            /** @description The archive. Its schema is that of its last file, `manifest.json`. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /**
                     * @description A file name for the archive: that of the file or URL that was sent, otherwise `image.zip`.
                     * @example attachment; filename="photo.zip"
                     */
                    "Content-Disposition": string;
                    /**
                     * @description Width of the upright source, in pixels.
                     * @example 4032
                     */
                    "Image-Width": number;
                    /**
                     * @description Height of the upright source, in pixels.
                     * @example 3024
                     */
                    "Image-Height": number;
                    /**
                     * @description Media type of the source, read from its bytes.
                     * @example image/jpeg
                     */
                    "Image-Input-Type": "image/jpeg" | "image/png" | "image/webp" | "image/avif" | "image/gif";
                    /**
                     * @description Size of the source in bytes.
                     * @example 1813003
                     */
                    "Image-Input-Bytes": number;
                    /**
                     * @description Files left after this call, free and paid, if all of its results are charged.
                     * @example 499
                     */
                    "Quota-Remaining": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": unknown;
                };
            };
            /**
             * @description - `invalid_request`: The request is malformed: broken JSON, a broken form, a wrong type, a missing field, a value out of range, no image or more than one.
             *     - `invalid_options`: An option is unknown, malformed, given twice, in the query beside a form or JSON, or does not apply to this image.
             *     - `source_not_allowed`: The image URL, or one that it redirects to, is not allowed: not https, a port other than 443 or 80, a user name or password, or a private host.
             *     - `key_in_query`: The query string contains something that looks like an API key. URLs end up in logs, so consider that key leaked.
             */
            400: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "invalid_request" | "invalid_options" | "source_not_allowed" | "key_in_query";
                    };
                };
            };
            /** @description - `invalid_api_key`: The API key is missing, malformed, unknown, revoked or expired. The response is the same for all keys; without a key, `detail` says where to make one. */
            401: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "invalid_api_key";
                    };
                };
            };
            /**
             * @description - `quota_exceeded`: The account has neither free nor paid files left.
             *     - `key_limit_exceeded`: This key has reached its `monthly_limit`, including requests in progress. The account still has files left.
             */
            402: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & ({
                        /** @enum {string} */
                        code: "quota_exceeded";
                        /** Format: date-time */
                        free_resets_at: string;
                    } | {
                        /** @enum {string} */
                        code: "key_limit_exceeded";
                        limit: number;
                        /** Format: date-time */
                        resets_at: string;
                    });
                };
            };
            /** @description - `request_timeout`: The upload stalled for 10 seconds, or took more than 120 seconds in all. For a JSON body: more than 10 seconds. */
            408: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "request_timeout";
                    };
                };
            };
            /**
             * @description - `body_too_large`: The body is larger than `limit_bytes`. That is the maximum for this call, or less if processing this file would take much more memory than the file itself.
             *     - `image_too_large`: The image has too many pixels for the memory or the computing time that this format and these options would take. It has `width` × `height`; `limit_pixels` would fit. Or an animation has too many frames, or too many pixels in all of them together: it has `frames`, of which `limit_frames` would fit.
             */
            413: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & ({
                        /** @enum {string} */
                        code: "body_too_large";
                        limit_bytes: number;
                    } | {
                        /** @enum {string} */
                        code: "image_too_large";
                        width: number;
                        height: number;
                        limit_pixels: number;
                    });
                };
            };
            /** @description - `unsupported_media_type`: This call does not read bodies of this type. `supported` lists the types that it reads: image formats, or `application/json` for all other calls. */
            415: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "unsupported_media_type";
                        supported: string[];
                    };
                };
            };
            /**
             * @description - `invalid_image`: The image is damaged or truncated; one damaged frame is enough. Or you asked for an animation in a format that cannot move, such as JPEG. Or you asked for another format or size, and this image can only keep its own: an HDR image, an animated AVIF, or one whose colour space is not known well enough. Or a JPEG that has no counterpart in JPEG XL was to become one.
             *     - `max_bytes_unreachable`: The image does not fit into `max_bytes` with these options, not even at the lowest quality that is still acceptable. `smallest_bytes` is what it would take.
             *     - `source_fetch_failed`: Fetching the image URL failed: the server was unreachable or too slow, redirected too often, or answered with a status other than 200. Nothing of its response is passed on.
             */
            422: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & ({
                        /** @enum {string} */
                        code: "invalid_image" | "source_fetch_failed";
                    } | {
                        /** @enum {string} */
                        code: "max_bytes_unreachable";
                        smallest_bytes: number;
                    });
                };
            };
            /** @description - `too_many_requests`: A rate limit was reached. */
            429: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "too_many_requests";
                    };
                };
            };
            /** @description - `internal_error`: Something failed inside the service. Nothing was charged. */
            500: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "internal_error";
                    };
                };
            };
            /** @description - `overloaded`: The service is too busy right now, or part of it is not responding. Nothing was charged. */
            503: {
                headers: {
                    "Request-Id": components["headers"]["Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        code: "overloaded";
                    };
                };
            };
        };
    };
}
