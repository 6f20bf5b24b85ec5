package dev.weir.spring.boot;

import dev.weir.console.Answer;
import dev.weir.console.ConsolePages;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.json.JsonWriter;
import org.springframework.lang.Nullable;
import org.springframework.util.MimeType;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The endpoint {@code weirconsole}: the page that shows limits while they run. Only looking is allowed by default. Who may ask for it, and
 * who they are, is for Spring to say.
 */
@WebEndpoint(id = "weirconsole", defaultAccess = Access.READ_ONLY)
final class WeirConsoleEndpoint implements AutoCloseable {
    private static final JsonWriter<Map<String, Object>> JSON = JsonWriter.standard();
    private static final MimeType HTML = new MimeType("text", "html", StandardCharsets.UTF_8);

    private final ConsolePages pages;
    private final Supplier<String> path;
    private final BooleanSupplier mayWrite;

    /** The page of these answers, which are closed with it, at this path. */
    WeirConsoleEndpoint(ConsolePages pages, Supplier<String> path, BooleanSupplier mayWrite) {
        this.pages = pages;
        this.path = path;
        this.mayWrite = mayWrite;
    }

    Map<String, String> headers() {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(pages.answer("GET", "", null, new byte[0], "", false).headers());
        headers.remove("Content-Type");
        return headers;
    }

    /** The files of the page are beside it only if its address ends with a slash. */
    @ReadOperation
    WebEndpointResponse<byte[]> page() {
        String here = path.get();
        String there = here.substring(here.lastIndexOf('/') + 1) + "/";
        String moved =
                "<!doctype html><html lang=\"en\"><head><title>Weir</title><meta http-equiv=\"refresh\" content=\"0; url="
                        + there + "\"></head><body><a href=\"" + there + "\">The console</a></body></html>";
        return told(200, HTML, headers(), moved.getBytes(StandardCharsets.UTF_8));
    }

    @ReadOperation
    WebEndpointResponse<byte[]> read(
            SecurityContext security,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] below,
            @Nullable String name,
            @Nullable String since,
            @Nullable String after) {
        Map<String, Object> parameters = new TreeMap<>();
        put(parameters, "name", name);
        put(parameters, "since", since);
        put(parameters, "after", after);
        String query = parameters.entrySet().stream()
                .map(each ->
                        each.getKey() + "=" + URLEncoder.encode(each.getValue().toString(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return told(pages.answer(
                "GET", String.join("/", below), query, new byte[0], who(security), mayWrite.getAsBoolean()));
    }

    @WriteOperation
    WebEndpointResponse<byte[]> change(
            SecurityContext security,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] below,
            @Nullable String name,
            @Nullable String patch,
            @Nullable Long seconds,
            @Nullable String why,
            @Nullable Long revision) {
        Map<String, Object> fields = new TreeMap<>();
        put(fields, "name", name);
        put(fields, "patch", patch);
        put(fields, "seconds", seconds);
        put(fields, "why", why);
        put(fields, "revision", revision);
        return told(pages.answer(
                "POST", String.join("/", below), null, JSON.write(fields).toByteArray(), who(security), true));
    }

    private static void put(Map<String, Object> fields, String name, @Nullable Object value) {
        if (value != null) {
            fields.put(name, value);
        }
    }

    private static String who(SecurityContext security) {
        Principal principal = security.getPrincipal();
        return principal == null ? "management" : principal.getName();
    }

    private static WebEndpointResponse<byte[]> told(Answer answer) {
        String type = answer.headers().getOrDefault("Content-Type", "application/octet-stream");
        return told(answer.status(), MimeType.valueOf(type), answer.headers(), answer.body());
    }

    private static WebEndpointResponse<byte[]> told(
            int status, MimeType type, Map<String, String> headers, byte[] body) {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        if (request != null) {
            Servlets.write(headers, request);
        }
        return new WebEndpointResponse<>(body, status, type);
    }

    /** The headers of an answer, which have no other way from an endpoint; an application without servlets does not load this. */
    private static final class Servlets {
        static void write(Map<String, String> headers, RequestAttributes request) {
            if (request instanceof ServletRequestAttributes servlet && servlet.getResponse() != null) {
                headers.forEach(servlet.getResponse()::setHeader);
            }
        }
    }

    @Override
    public void close() {
        pages.close();
    }
}
