package dev.weir.console;

import dev.weir.Permit;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.console.Board.Told;
import dev.weir.console.Sessions.Session;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.named.plan.Nearest;
import dev.weir.named.recorder.Preview;
import dev.weir.named.status.RevisionChangedException;
import dev.weir.spi.Registration;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The answers of the console without a server, for a framework that has one: its server says who asks and whether they may change
 * limits, and keeps the pages of other servers out. The page then polls, because there is no stream.
 *
 * <p>Thread-safe. Something is sampled and counted only while somebody asks.
 */
public final class ConsolePages implements AutoCloseable {
    static final String PREVIEW = "api/preview";
    private static final String OVERRIDE = "api/override";
    private static final String UNDO = "api/undo";

    private final LimiterRegistry registry;
    private final Assets assets = new Assets();
    private final CountedParts parts = new CountedParts();
    private final ShownKeys keys;
    private final Changes changes;
    private final Previews previews;
    private final Board board;
    private final Sampling sampling;
    private volatile Consumer<Told> listener = news -> {};
    /* Null = only while somebody looks. */
    private final @Nullable Registration recording;

    ConsolePages(Options options) {
        registry = Objects.requireNonNull(options.registry, "registry");
        Ticker ticker = options.ticker;
        InstantSource clock = options.clock;
        keys = new ShownKeys(options.showsKeys);
        previews = new Previews(registry);
        changes = new Changes(registry, ticker, clock);
        board = new Board(registry, parts, ticker, clock, process(options.name, clock));
        sampling = new Sampling(registry, board, parts, ticker, options.recordedNanos, news -> listener.accept(news));
        recording = options.isRecordedAlways ? registry.names().recorder().record() : null;
    }

    /** The answers for this registry, which is not closed with them. The keys of requests are hashed. */
    public static ConsolePages of(LimiterRegistry registry) {
        return new ConsolePages(new Options(registry));
    }

    static final class Options {
        final LimiterRegistry registry;
        String name = "";
        boolean showsKeys;
        boolean isRecordedAlways;
        long recordedNanos = TimeUnit.MINUTES.toNanos(5);
        Ticker ticker = Ticker.system();
        InstantSource clock = InstantSource.system();

        Options(LimiterRegistry registry) {
            this.registry = registry;
        }
    }

    private static String process(String name, InstantSource clock) {
        ProcessHandle process = ProcessHandle.current();
        String version = Console.class.getPackage().getImplementationVersion();
        return JsonWriter.object(json -> json.text("name", name.isEmpty() ? null : name)
                .text("started", process.info().startInstant().orElseGet(clock::instant))
                .text("version", version));
    }

    Board board() {
        return board;
    }

    Sampling sampling() {
        return sampling;
    }

    void onSample(Consumer<Told> only) {
        listener = only;
    }

    /**
     * The answer to a request. May block for as long as a change of a limit, a preview or, at first, two seconds for a sample.
     *
     * @param method {@code GET} or {@code POST}
     * @param path below the page, such as {@code ""}, {@code console.js} and {@code api/rows}; not decoded
     * @param query what follows {@code ?}, not decoded; null = nothing
     * @param body of a {@code POST}: an object of JSON
     * @param who asks, as changes will have it
     * @param mayWrite whether they may change limits
     */
    public Answer answer(
            String method, String path, @Nullable String query, byte[] body, String who, boolean mayWrite) {
        Answer notAllowed = notAllowed(method, path);
        if (notAllowed != null) {
            return notAllowed;
        }
        try {
            return switch (path) {
                case "api/session" -> session(who, mayWrite);
                case "api/rows" ->
                    Answer.json(200, sampling.poll(number(query, "since")).json());
                case "api/limit" -> limit(given(parameter(query, "name")), number(query, "after"));
                case PREVIEW -> mayWrite ? preview(body) : readOnly();
                case OVERRIDE, UNDO -> mayWrite ? change(path, body, who) : readOnly();
                default -> {
                    Answer file = assets.find(path);
                    yield file == null ? Answer.problems(404, "there is nothing at " + path) : file;
                }
            };
        } catch (IllegalArgumentException e) {
            return Answer.problems(400, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.problems(503, "the request was interrupted");
        } catch (Throwable t) { // code of others may throw an error, too
            return failed(t);
        }
    }

    /** The answer to a method that this path does not have; null = it has it. */
    static @Nullable Answer notAllowed(String method, String path) {
        String allowed = switch (path) {
            case "api/session" -> "GET, POST";
            case PREVIEW, OVERRIDE, UNDO -> "POST";
            default -> "GET";
        };
        return List.of(allowed.split(", ")).contains(method)
                ? null
                : Answer.problems(405, method + " must be " + allowed.replace(", ", " or "))
                        .with("Allow", allowed);
    }

    static Answer failed(Throwable t) {
        System.getLogger(ConsolePages.class.getName()).log(System.Logger.Level.DEBUG, "a request failed", t);
        return Answer.problems(500, "the request failed: " + t.getClass().getSimpleName());
    }

    /* The server of the framework has authenticated them. */
    private static Answer session(String who, boolean mayWrite) {
        return Answer.json(
                200,
                JsonWriter.object(json -> json.text("access", mayWrite ? "write" : "read")
                        .is("stream", false)
                        .is("tokens", false)
                        .text("name", who)));
    }

    static Answer session(@Nullable Session session) {
        AccessToken token = session == null ? null : session.token();
        return Answer.json(
                200,
                JsonWriter.object(
                        json -> json.text("access", token == null ? "none" : token.mayWrite() ? "write" : "read")
                                .text("check", session == null ? null : session.check())
                                .is("stream", true)
                                .text("name", token == null ? null : token.name())));
    }

    private Answer limit(String name, long after) throws InterruptedException {
        sampling.look();
        return registry.names().names().contains(name)
                ? Answer.json(200, new LimitDetail(registry, parts, keys, name).json(changes::isUndoable, after))
                : unknown(name);
    }

    private static String given(@Nullable String name) {
        if (name == null) {
            throw new IllegalArgumentException("name must be given");
        }
        return name;
    }

    private Answer unknown(String name) {
        return Answer.problems(
                404,
                "no limit has the name " + name
                        + Nearest.to(name, registry.names().names()));
    }

    private static Answer readOnly() {
        return Answer.problems(403, "the token must be one that may change limits");
    }

    private Answer preview(byte[] body) throws InterruptedException {
        PostedFields fields = PostedFields.of(body, List.of("name", "patch"));
        String name = fields.text("name", Integer.MAX_VALUE);
        sampling.look();
        return registry.names().names().contains(name) ? previews.of(name, fields) : unknown(name);
    }

    private Answer change(String path, byte[] body, String who) throws InterruptedException {
        boolean isUndo = path.equals(UNDO);
        PostedFields fields = PostedFields.of(
                body, isUndo ? List.of("name", "revision") : List.of("name", "patch", "seconds", "why", "revision"));
        String name = fields.text("name", Integer.MAX_VALUE);
        if (!registry.names().names().contains(name)) {
            return unknown(name);
        }
        // There are no more undos than changes.
        Answer tooSoon = isUndo ? null : changes.tooSoon();
        if (tooSoon != null) {
            return tooSoon;
        }
        try {
            if (isUndo) {
                changes.undo(name, fields, who);
            } else {
                changes.override(name, fields, who);
            }
        } catch (RevisionChangedException e) {
            return Answer.json(409, JsonWriter.object(json -> {
                Answer.writeProblems(json, String.valueOf(e.getMessage()));
                json.number("revision", e.revision());
            }));
        } catch (IllegalStateException e) {
            return Answer.problems(400, String.valueOf(e.getMessage()));
        }
        return limit(name, Long.MIN_VALUE);
    }

    /* The smallest number = it is not there. */
    private static long number(@Nullable String query, String name) {
        String text = parameter(query, name);
        try {
            return text == null ? Long.MIN_VALUE : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be a number, was " + text, e);
        }
    }

    private static @Nullable String parameter(@Nullable String query, String name) {
        for (String pair : query == null ? new String[0] : query.split("&", -1)) {
            if (pair.startsWith(name + "=")) {
                return URLDecoder.decode(pair.substring(name.length() + 1), StandardCharsets.UTF_8);
            }
        }
        return null;
    }

    /** Ends the sampling and the recording. Closing again does nothing. */
    @Override
    public void close() {
        sampling.close();
        if (recording != null) {
            recording.close();
        }
    }

    /** The files of the page, which are beside this class: only names without a folder, and only these endings. */
    private static final class Assets {
        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.-]{0,60}[.]([a-z]{2,4})");
        private static final Map<String, String> TYPES = Map.of(
                "html", "text/html; charset=utf-8",
                "css", "text/css; charset=utf-8",
                "js", "text/javascript; charset=utf-8",
                "svg", "image/svg+xml",
                "txt", "text/plain; charset=utf-8");

        private final Map<String, Answer> read = new ConcurrentHashMap<>();

        @Nullable
        Answer find(String path) {
            String name = path.isEmpty() ? "index.html" : path;
            var match = NAME.matcher(name);
            String type = match.matches() ? TYPES.get(match.group(1)) : null;
            return type == null ? null : read.computeIfAbsent(name, absent -> load(absent, type));
        }

        private static @Nullable Answer load(String name, String type) {
            try (InputStream file = ConsolePages.class.getResourceAsStream(name)) {
                return file == null ? null : Answer.of(200, type, file.readAllBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Previews of changes, one at a time, because each takes a processor for up to some seconds. */
    private static final class Previews {
        private final LimiterRegistry registry;
        private final ManagedLimiter one = Limiters.of("previews of a console", new Semaphore(1));

        Previews(LimiterRegistry registry) {
            this.registry = registry;
        }

        /** The answer to one; without a recording, its settings are checked all the same. Throws if they are wrong. */
        Answer of(String name, PostedFields fields) {
            String patch = fields.entry("patch");
            if (!(one.tryAcquire() instanceof Permit permit)) {
                return Answer.problems(429, "previews must be one at a time").with("Retry-After", "1");
            }
            try {
                Preview seen = registry.preview(name, patch);
                return Answer.json(200, JsonWriter.object(json -> write(json, seen)));
            } catch (CancellationException e) {
                return Answer.problems(503, "the preview took too long");
            } catch (IllegalStateException e) {
                List<String> unsure = List.of(String.valueOf(e.getMessage()));
                return Answer.json(
                        200,
                        JsonWriter.object(json ->
                                json.text("text", "").number("requests", 0L).texts("unsure", unsure)));
            } finally {
                permit.close();
            }
        }

        private static void write(JsonWriter json, Preview seen) {
            String doubts = seen.unsure().isEmpty() ? "" : ", unsure: " + String.join("; ", seen.unsure());
            String line = seen.toString();
            json.text("text", line.endsWith(doubts) ? line.substring(0, line.length() - doubts.length()) : line)
                    .number("requests", seen.requests())
                    .number("refusedInFact", seen.refusedInFact())
                    .number("refusedAsItIs", seen.refusedAsItIs())
                    .number("wouldRefuse", seen.wouldRefuse())
                    .number("low", seen.low())
                    .number("high", seen.high())
                    .number("p50WaitMs", seen.waitP50().toMillis())
                    .number("p99WaitMs", seen.waitP99().toMillis())
                    .number("spanSeconds", seen.span().toSeconds())
                    .text("settingsThen", seen.settingsThen())
                    .number("limitThen", seen.limitThen())
                    .texts("unsure", seen.unsure());
        }
    }
}
