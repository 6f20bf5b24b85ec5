package dev.weir.http.source;

import dev.weir.Ticker;
import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.Reading;
import dev.weir.http.source.internal.HttpConnection;
import dev.weir.http.source.internal.HttpName;
import dev.weir.internal.Require;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A document at an HTTP address: of a web server, or of an object store by a signed address. The document is asked for every ten
 * seconds, and sent only if its {@code ETag} or its time has changed. Statuses 404 and 410 mean that there is no document.
 *
 * <p>Redirects are followed within the same server. An answer of more than 16 MiB is refused. User, password, query and headers
 * are never shown.
 */
public final class HttpSource implements ConfigSource {
    private static final int REDIRECTS = 3;
    private static final Set<Integer> REDIRECTING = Set.of(301, 302, 303, 307, 308);
    private static final Duration WAITED = Duration.ofSeconds(1);

    private final URI address;
    private final String name;
    private final Map<String, String> headers;
    private final Format format;
    private final Duration interval;
    private final Duration timeout;
    private final @Nullable Duration waiting;
    private final @Nullable String parameter;
    private final Ticker ticker = Ticker.system();
    private final HttpConnection connection = new HttpConnection();

    private @Nullable Reading last;
    private @Nullable HttpHeaders lastHeaders;
    private boolean again;

    private HttpSource(Builder builder) {
        address = builder.address;
        name = builder.name;
        headers = Map.copyOf(builder.headers);
        format = builder.format;
        interval = builder.interval;
        timeout = builder.timeout;
        waiting = builder.waiting;
        parameter = builder.parameter;
    }

    /** The document at this address, in the format that the end of its path says. */
    public static HttpSource of(URI address) {
        return builder(address).build();
    }

    /**
     * A builder of a source, for a server that needs more than an address. A user and password in the address are sent as
     * basic authentication.
     *
     * @throws IllegalArgumentException if the address is not one of {@code http} or {@code https} with a host
     */
    public static Builder builder(URI address) {
        return new Builder(address);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Duration readEvery() {
        return again ? Duration.ZERO : interval;
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        Reading before = last == null || last.isAbsent() ? null : last;
        Duration wait = before == null ? null : waiting;
        long asked = ticker.read();
        again = false;
        HttpResponse<byte[]> answer = follow(wait);
        if (before != null && answer.statusCode() == 304) {
            // A server that does not wait is asked at intervals.
            again = wait != null && ticker.read() - asked >= WAITED.toNanos();
            return before;
        }
        Reading reading = reading(answer);
        last = reading;
        lastHeaders = answer.headers();
        again = waiting != null && !reading.isAbsent() && (before == null || !reading.isSameAs(before));
        return reading;
    }

    private HttpResponse<byte[]> follow(@Nullable Duration wait) throws IOException, InterruptedException {
        URI target = address;
        for (int hop = 0; hop <= REDIRECTS; hop++) {
            HttpResponse<byte[]> answer =
                    connection.send(request(target, wait), wait == null ? timeout : timeout.plus(wait));
            if (!REDIRECTING.contains(answer.statusCode())) {
                return answer;
            }
            target = redirected(target, answer);
        }
        throw new IOException("has more than " + REDIRECTS + " redirects: " + name);
    }

    private URI redirected(URI from, HttpResponse<byte[]> answer) throws IOException {
        String location = answer.headers().firstValue("location").orElse("");
        URI target;
        try {
            target = from.resolve(location);
        } catch (IllegalArgumentException e) {
            throw new IOException("redirects to what is no address: " + name);
        }
        if (location.isEmpty() || !HttpName.isSameServer(address, target)) {
            throw new IOException("redirects to another server, " + HttpName.authority(target) + ": " + name);
        }
        return target;
    }

    private HttpRequest request(URI target, @Nullable Duration wait) {
        HttpRequest.Builder request = HttpRequest.newBuilder(target);
        if (wait != null && parameter != null) {
            String separator = target.getRawQuery() == null ? "?" : "&";
            request.uri(URI.create(target + separator + parameter + "=" + wait.toSeconds()));
        } else if (wait != null) {
            request.header("Prefer", "wait=" + wait.toSeconds());
        }
        headers.forEach(request::setHeader);
        HttpHeaders known = lastHeaders;
        if (known != null && last != null && !last.isAbsent()) {
            known.firstValue("etag")
                    .ifPresentOrElse(
                            tag -> request.setHeader("If-None-Match", tag),
                            () -> known.firstValue("last-modified")
                                    .ifPresent(date -> request.setHeader("If-Modified-Since", date)));
        }
        return request.build();
    }

    private Reading reading(HttpResponse<byte[]> answer) throws IOException {
        int status = answer.statusCode();
        if (status == 404 || status == 410) {
            return Reading.absent();
        }
        if (status != 200) {
            throw new IOException("answers with status " + status + ": " + name);
        }
        String encoding = answer.headers().firstValue("content-encoding").orElse("identity");
        if (!encoding.equals("identity")) {
            throw new IOException("answers with content encoding " + encoding + ": " + name);
        }
        Reading reading = Reading.of(answer.body(), format);
        return isComplete(answer) ? reading.whole() : reading;
    }

    /** The client has compared the length. An answer that ends with the connection may be a part. */
    private static boolean isComplete(HttpResponse<byte[]> answer) {
        HttpHeaders headers = answer.headers();
        return headers.firstValue("content-length").isPresent()
                || headers.firstValue("transfer-encoding").isPresent();
    }

    @Override
    public void close() {
        connection.close();
    }

    @Override
    public String toString() {
        return name;
    }

    /** Options of a source over HTTP. Not thread-safe. */
    public static final class Builder {
        private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
        private static final Duration LONGEST_ANSWER = Duration.ofSeconds(70);
        private static final Duration DAY = Duration.ofDays(1);

        private final URI address;
        private final String name;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private Format format;
        private Duration interval = Duration.ofSeconds(10);
        private Duration timeout = Duration.ofSeconds(10);
        private @Nullable Duration waiting;
        private @Nullable String parameter;

        private Builder(URI given) {
            name = HttpName.of(given);
            format = Format.of(Objects.requireNonNullElse(given.getPath(), ""));
            String query = given.getRawQuery() == null ? "" : "?" + given.getRawQuery();
            address = URI.create(HttpName.authority(given) + given.getRawPath() + query);
            if (given.getUserInfo() != null) {
                byte[] user = given.getUserInfo().getBytes(StandardCharsets.UTF_8);
                headers.put("Authorization", "Basic " + Base64.getEncoder().encodeToString(user));
            }
        }

        /**
         * A header of each request, for example with a token.
         *
         * @throws IllegalArgumentException if the name or the value is not allowed; the message does not have the value
         */
        public Builder header(String header, String value) {
            HttpRequest.newBuilder().header(header, "checked");
            if (!value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c <= 255 && c != 127))) {
                throw new IllegalArgumentException("header " + header + " has a character that is not allowed");
            }
            headers.put(header, value);
            return this;
        }

        /** The format, whatever the end of the path says. */
        public Builder format(Format format) {
            this.format = Objects.requireNonNull(format, "format");
            return this;
        }

        /**
         * Sets the time between two readings of the document. Default: every ten seconds.
         *
         * @throws IllegalArgumentException if it is not positive, or more than a day
         */
        public Builder readEvery(Duration interval) {
            this.interval = checked("interval", interval, DAY);
            return this;
        }

        /**
         * Bounds the time of an answer, beside what the server waits. Default: ten seconds.
         *
         * @throws IllegalArgumentException if it is not positive, or more than a minute
         */
        public Builder timeout(Duration timeout) {
            this.timeout = checked("timeout", timeout, LONGEST_WAIT);
            return this;
        }

        /**
         * Asks the server to wait for a change for this long, in whole seconds, by the header {@code Prefer: wait=N} (RFC 7240).
         * By default it is not asked to.
         *
         * @throws IllegalArgumentException if it is less than a second, or more than a minute
         */
        public Builder waiting(Duration waiting) {
            Require.that(
                    waiting.compareTo(Duration.ofSeconds(1)) >= 0 && waiting.compareTo(LONGEST_WAIT) <= 0,
                    "waiting must be 1 s to 60 s",
                    waiting);
            this.waiting = waiting;
            this.parameter = null;
            return this;
        }

        /** As {@link #waiting(Duration)}, by a parameter of the query with this name instead of a header. */
        public Builder waiting(Duration waiting, String parameter) {
            Require.that(parameter.matches("[A-Za-z0-9._-]{1,64}"), "parameter must be a simple name", parameter);
            waiting(waiting);
            this.parameter = parameter;
            return this;
        }

        private static Duration checked(String what, Duration value, Duration most) {
            Require.that(
                    !value.isZero() && !value.isNegative() && value.compareTo(most) <= 0,
                    what + " must be > 0 and at most " + most,
                    value);
            return value;
        }

        /**
         * The source. Opens nothing.
         *
         * @throws IllegalArgumentException if an answer may take more than 70 seconds
         */
        public HttpSource build() {
            Duration longest = waiting == null ? timeout : timeout.plus(waiting);
            checked("timeout and waiting", longest, LONGEST_ANSWER);
            return new HttpSource(this);
        }
    }
}
