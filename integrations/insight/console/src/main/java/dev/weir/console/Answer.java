package dev.weir.console;

import dev.weir.Rejection;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An answer of the console by HTTP, which a server has only to write. Immutable. */
public final class Answer {
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
            + "require-trusted-types-for 'script'; trusted-types 'none'";

    private static final int MAX_CHARS = 1_000;

    static final Map<String, String> SAFE = Map.of(
            "Content-Security-Policy", POLICY,
            "X-Content-Type-Options", "nosniff",
            "X-Frame-Options", "DENY",
            "Referrer-Policy", "no-referrer",
            "Cache-Control", "no-store",
            "Cross-Origin-Opener-Policy", "same-origin",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Permissions-Policy", "camera=(), geolocation=(), microphone=()");

    private final int status;
    private final Map<String, String> headers;
    private final byte[] body;

    private Answer(int status, Map<String, String> headers, byte[] body) {
        this.status = status;
        this.headers = Map.copyOf(headers);
        this.body = body;
    }

    /** The status code, such as 200. */
    public int status() {
        return status;
    }

    /** All headers by name, among them {@code Content-Type} and those that keep a page safe; the server adds the length. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The body, in UTF-8; may be empty. */
    public byte[] body() {
        return body.clone();
    }

    int length() {
        return body.length;
    }

    void writeTo(OutputStream out) throws IOException {
        out.write(body);
    }

    static Answer of(int status, String type, byte[] body) {
        return new Answer(status, SAFE, body).with("Content-Type", type);
    }

    static Answer json(int status, String json) {
        return of(status, "application/json", json.getBytes(StandardCharsets.US_ASCII));
    }

    /** An answer that tells what is wrong, one problem in each line. */
    static Answer problems(int status, String problems) {
        return json(status, JsonWriter.object(json -> writeProblems(json, problems)));
    }

    /** The answer to what comes too often, with the seconds until the next may come. */
    static Answer tooMany(String rule, Rejection rejection) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(rejection.retryAfterNanos()) + 1;
        return problems(429, rule + "; the next may come in " + seconds + " s").with("Retry-After", "" + seconds);
    }

    static void writeProblems(JsonWriter json, String problems) {
        json.texts(
                "problems",
                problems.lines().map(line -> EventText.cut(line, MAX_CHARS)).toList());
    }

    Answer with(String header, String value) {
        Map<String, String> more = new HashMap<>(headers);
        more.put(header, value);
        return new Answer(status, more, body);
    }
}
