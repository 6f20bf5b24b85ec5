package dev.weir.consul;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.Reading;
import dev.weir.http.source.internal.HttpConnection;
import dev.weir.http.source.internal.HttpName;
import dev.weir.internal.Require;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A document in a key of Consul's store. Each reading but the first waits at the agent, for 55 seconds by default, until the key
 * changes (a blocking query). A document may have 512 KiB, as Consul is set up by default.
 */
public final class ConsulSource implements ConfigSource {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final Duration WITHOUT_INDEX = Duration.ofSeconds(10);

    private final URI address;
    private final Format format;
    private final Duration waiting;
    private final @Nullable String token;
    private final HttpConnection connection = new HttpConnection();
    private long index;

    private ConsulSource(Builder builder) {
        address = builder.address;
        format = builder.format;
        waiting = builder.waiting;
        token = builder.token;
    }

    /** The document in this key, in the format that the end of the key says. */
    public static ConsulSource of(URI agent, String key) {
        return builder(agent, key).build();
    }

    /**
     * A builder of a source, for an agent that needs a token.
     *
     * @param agent for example {@code http://127.0.0.1:8500}
     * @param key for example {@code shop/limits.yaml}
     * @throws IllegalArgumentException if the agent is no address of {@code http} or {@code https} without user and query, or a
     *     part of the key is empty, {@code .} or {@code ..}
     */
    public static Builder builder(URI agent, String key) {
        return new Builder(agent, key);
    }

    @Override
    public String name() {
        return address.toString();
    }

    /** At once, because the agent waits. */
    @Override
    public Duration readEvery() {
        return index > 0 ? Duration.ZERO : WITHOUT_INDEX;
    }

    @Override
    public Reading read() throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = ask();
        int status = answer.statusCode();
        if (status != 200 && status != 404) {
            throw new IOException("answers with status " + status + ": " + address);
        }
        Reading reading = status == 404 ? Reading.absent() : reading(answer.body());
        index = next(answer);
        return reading;
    }

    private HttpResponse<byte[]> ask() throws IOException, InterruptedException {
        boolean waits = index > 0;
        URI asked = waits ? URI.create(address + "?index=" + index + "&wait=" + waiting.toSeconds() + "s") : address;
        HttpRequest.Builder request = HttpRequest.newBuilder(asked);
        if (token != null) {
            request.header("X-Consul-Token", token);
        }
        // The agent adds up to a sixteenth, so that not all come back at the same time.
        Duration most = waits ? waiting.plus(waiting.dividedBy(16)).plus(ANSWER) : ANSWER;
        return connection.send(request.build(), most);
    }

    /** An index that goes back, for example of a server that was restored, starts again from the beginning. */
    private long next(HttpResponse<byte[]> answer) {
        String told = answer.headers().firstValue("x-consul-index").orElse("0");
        long next = told.matches("[0-9]{1,18}") ? Long.parseLong(told) : 0;
        return next < index ? 0 : next;
    }

    /**
     * Reads {@code [{"CreateIndex": 3, "ModifyIndex": 7, "Value": "bGltaXRz", ...}]}. Throws if the answer is something else; the message
     * has nothing of it.
     */
    private Reading reading(byte[] answer) throws IOException {
        try (JsonParser json = JSON.createParser(answer)) {
            expect(json.nextToken() == JsonToken.START_ARRAY && json.nextToken() == JsonToken.START_OBJECT);
            byte[] value = null;
            long modifyIndex = -1;
            String createIndex = "";
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                JsonToken token = json.nextToken();
                switch (field) {
                    // A key without a value has null.
                    case "Value" -> value = token == JsonToken.VALUE_NULL ? new byte[0] : json.getBinaryValue();
                    case "CreateIndex" -> createIndex = Long.toString(json.getLongValue());
                    case "ModifyIndex" -> modifyIndex = json.getLongValue();
                    default -> json.skipChildren();
                }
            }
            expect(json.nextToken() == JsonToken.END_ARRAY && json.nextToken() == null);
            if (value == null || modifyIndex < 0) {
                throw unknown();
            }
            return Reading.of(value, format).revision(modifyIndex, createIndex).whole();
        } catch (JsonProcessingException e) {
            throw unknown();
        }
    }

    private static void expect(boolean holds) throws IOException {
        if (!holds) {
            throw unknown();
        }
    }

    private static IOException unknown() {
        return new IOException("answers with something else than one key of Consul");
    }

    @Override
    public void close() {
        connection.close();
    }

    @Override
    public String toString() {
        return name();
    }

    /** Options of a source in Consul. Not thread-safe. */
    public static final class Builder {
        private static final Duration LONGEST_WAIT = Duration.ofSeconds(55);

        private final URI address;
        private Format format;
        private Duration waiting = LONGEST_WAIT;
        private @Nullable String token;

        private Builder(URI agent, String key) {
            HttpName.of(agent);
            if (agent.getRawUserInfo() != null || agent.getRawQuery() != null || agent.getRawFragment() != null) {
                throw new IllegalArgumentException("agent must have no user, query and fragment");
            }
            String base = agent.toString().replaceFirst("/+$", "");
            address = URI.create(base + "/v1/kv/" + encoded(key));
            format = Format.of(key);
        }

        private static String encoded(String key) {
            return Arrays.stream(key.split("/", -1))
                    .peek(Builder::check)
                    .map(part -> URLEncoder.encode(part, UTF_8).replace("+", "%20"))
                    .collect(Collectors.joining("/"));
        }

        private static void check(String part) {
            Require.that(
                    !part.isEmpty() && !part.equals(".") && !part.equals("..") && part.indexOf('\0') < 0,
                    "a part of the key must not be empty, . or ..",
                    part);
        }

        /**
         * Sent as {@code X-Consul-Token}, and never shown. By default none is sent.
         *
         * @throws IllegalArgumentException if it has a character that a header may not have
         */
        public Builder token(String token) {
            if (!token.matches("[!-~]+")) {
                throw new IllegalArgumentException("token has a character that is not allowed");
            }
            this.token = token;
            return this;
        }

        /** The format, whatever the end of the key says. */
        public Builder format(Format format) {
            this.format = Objects.requireNonNull(format, "format");
            return this;
        }

        /**
         * Sets the time that the agent waits for a change, in whole seconds. Default: 55 seconds.
         *
         * @throws IllegalArgumentException if it is less than a second, or more than 55
         */
        public Builder waiting(Duration waiting) {
            Require.that(
                    waiting.compareTo(Duration.ofSeconds(1)) >= 0 && waiting.compareTo(LONGEST_WAIT) <= 0,
                    "waiting must be 1 s to 55 s",
                    waiting);
            this.waiting = waiting;
            return this;
        }

        /** The source. Opens nothing. */
        public ConsulSource build() {
            return new ConsulSource(this);
        }
    }
}
