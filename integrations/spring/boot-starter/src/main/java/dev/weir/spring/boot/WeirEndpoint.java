package dev.weir.spring.boot;

import dev.weir.config.LimiterRegistry;
import dev.weir.engine.Snapshot;
import dev.weir.http.Routes;
import dev.weir.internal.Require;
import dev.weir.named.plan.Nearest;
import dev.weir.named.plan.Problem;
import dev.weir.named.status.ConfigStatus;
import dev.weir.named.status.Explanation;
import dev.weir.named.status.LimitChange;
import dev.weir.named.status.LimitOverride;
import dev.weir.named.status.LimitStatus;
import dev.weir.named.status.RevisionChangedException;
import dev.weir.queue.QueueSnapshot;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.lang.Nullable;

/**
 * The endpoint {@code weir}: what is in force and why, and patches by hand over it, which end. Only reading is allowed by default.
 * Answers are texts and numbers.
 */
@Endpoint(id = "weir", defaultAccess = Access.READ_ONLY)
final class WeirEndpoint {
    private static final int CONFLICT = 409;

    private final LimiterRegistry registry;
    private final List<String> routes;
    private final Map<String, Registration> overrides = new ConcurrentHashMap<>();

    WeirEndpoint(LimiterRegistry registry, @Nullable Routes routes) {
        this.registry = registry;
        this.routes = routes == null
                ? List.of()
                : routes.routes().stream()
                        .map(each -> each.path() + ": " + String.join(", ", each.limits()))
                        .toList();
    }

    /** The document, all limits and the routes to them. */
    record Overview(Document document, List<Limit> limits, List<String> routes) {}

    record Document(
            String source,
            boolean up,
            String version,
            String author,
            String reason,
            String since,
            List<String> problems,
            List<String> orphans,
            long accepted,
            long refused) {
        static Document of(ConfigStatus status) {
            return new Document(
                    status.source(),
                    status.up(),
                    status.version(),
                    status.author(),
                    status.reason(),
                    status.since().toString(),
                    status.problems().stream().map(Problem::toString).toList(),
                    status.orphans(),
                    status.accepted(),
                    status.refused());
        }
    }

    /**
     * One limit.
     *
     * @param revision grows with each change of its settings
     * @param writer what decides it now
     * @param origin where its settings are; empty = in code
     * @param limit null if it is not counted in this process
     * @param waiting null = it has no queue
     * @param override null = none
     */
    record Limit(
            String name,
            long revision,
            String writer,
            String settings,
            String origin,
            boolean removed,
            boolean orphan,
            @Nullable Long limit,
            @Nullable Long inFlight,
            @Nullable Long waiting,
            @Nullable Patch override) {
        static Limit of(Explanation explanation) {
            LimitStatus status = explanation.status();
            Snapshot limiter = status.limiter();
            QueueSnapshot queue = status.queue();
            return new Limit(
                    status.name(),
                    status.revision(),
                    explanation.writer().toString(),
                    explanation.settings(),
                    explanation.origin() == null ? "" : explanation.origin().toString(),
                    status.removed(),
                    status.orphan(),
                    limiter == null ? null : limiter.limit(),
                    limiter == null ? null : limiter.inFlight(),
                    queue == null ? null : (long) queue.length(),
                    status.override() == null ? null : Patch.of(status.override()));
        }
    }

    record Patch(
            Map<String, String> patch,
            String who,
            String why,
            String since,
            String until,
            boolean pending,
            String problem) {
        static Patch of(LimitOverride given) {
            return new Patch(
                    given.patch(),
                    given.who(),
                    given.why(),
                    given.since().toString(),
                    given.until().toString(),
                    given.pending(),
                    given.problem());
        }
    }

    /** One limit with its last changes, and all of it as text. */
    record Explained(Limit limit, List<String> changes, List<String> text) {
        static Explained of(Explanation explanation) {
            return new Explained(
                    Limit.of(explanation),
                    explanation.changes().stream().map(LimitChange::toString).toList(),
                    explanation.toString().lines().toList());
        }
    }

    record Wrong(List<String> problems) {}

    @ReadOperation
    Overview all() {
        return new Overview(
                Document.of(registry.status()),
                registry.names().names().stream()
                        .map(registry.names()::explain)
                        .map(Limit::of)
                        .toList(),
                routes);
    }

    @ReadOperation
    WebEndpointResponse<Object> one(@Selector String name) {
        return registry.names().names().contains(name)
                ? new WebEndpointResponse<>(Explained.of(registry.names().explain(name)))
                : unknown(name);
    }

    /**
     * Puts a patch over a limit.
     *
     * @param patch as in a document, such as {@code "concurrency: 5"}
     * @param duration such as {@code 10m}
     * @param revision of the settings that it is meant for; null = any
     */
    @WriteOperation
    WebEndpointResponse<Object> override(
            @Selector String name,
            @Nullable String patch,
            @Nullable String duration,
            @Nullable String who,
            @Nullable String why,
            @Nullable Long revision) {
        if (!registry.names().names().contains(name)) {
            return unknown(name);
        }
        try {
            String entry = given("patch", patch);
            Duration time = duration(given("duration", duration));
            String author = given("who", who);
            String reason = given("why", why);
            Registration given = revision == null
                    ? registry.override(name, entry, time, author, reason)
                    : registry.override(name, entry, time, author, reason, revision);
            overrides.put(name, given);
            return new WebEndpointResponse<>(Explained.of(registry.names().explain(name)));
        } catch (RevisionChangedException e) {
            return wrong(CONFLICT, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException | IllegalStateException e) {
            return wrong(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(e.getMessage()));
        }
    }

    /** Ends the patch that this endpoint has put over a limit. */
    @DeleteOperation
    WebEndpointResponse<Object> end(@Selector String name) {
        if (!registry.names().names().contains(name)) {
            return unknown(name);
        }
        Registration given = overrides.remove(name);
        if (given == null) {
            return wrong(WebEndpointResponse.STATUS_NOT_FOUND, name + " has no override of this endpoint");
        }
        given.close();
        return new WebEndpointResponse<>(Explained.of(registry.names().explain(name)));
    }

    private WebEndpointResponse<Object> unknown(String name) {
        return wrong(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "no limit has the name " + name
                        + Nearest.to(name, registry.names().names()));
    }

    private static WebEndpointResponse<Object> wrong(int status, String problems) {
        return new WebEndpointResponse<>(new Wrong(problems.lines().toList()), status);
    }

    private static String given(String name, @Nullable String text) {
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException(name + " must be given");
        }
        return text;
    }

    private static Duration duration(String text) {
        Require.that(!text.matches("[-+]?[0-9]+"), "duration must have a unit, such as 10m", "\"" + text + "\"");
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("duration must be such as 10m, was \"" + text + "\"", e);
        }
    }
}
