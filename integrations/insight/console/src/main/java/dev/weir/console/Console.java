package dev.weir.console;

import dev.weir.config.LimiterRegistry;
import dev.weir.internal.Require;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A page that shows the limits of a registry while they run, and changes them for a time.
 *
 * <pre>{@code
 * Console console = Console.start(limits);
 * }</pre>
 *
 * <p>It is at {@link #uri}, on this machine only, and asks for the token that is in {@link #tokenFile}; the log has both in one line. By
 * default a token lets its owner look: who may change limits needs one of {@link Builder#writeToken}.
 *
 * <p>Thread-safe. Its threads are daemons. While no page is open it reads nothing and counts nothing.
 */
public final class Console implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Console.class.getName());

    private final ConsolePages pages;
    private final ConsoleServer server;
    private final URI uri;
    private final List<AccessToken> tokens;
    /* Made here, so it goes with the console; null = none. */
    private final @Nullable Path temporary;

    private Console(Builder builder, List<AccessToken> tokens, @Nullable Path temporary) throws IOException {
        this.tokens = tokens;
        this.temporary = temporary;
        pages = new ConsolePages(builder.pages);
        try {
            InetSocketAddress address = new InetSocketAddress(builder.address, builder.port);
            server = new ConsoleServer(address, builder.hosts, pages, tokens, builder.pages.ticker, builder.limitNanos);
        } catch (IOException | RuntimeException e) {
            pages.close();
            throw e;
        }
        String host = builder.address.getHostAddress();
        uri = URI.create("http://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":"
                + server.address().getPort() + "/");
        server.start();
        LOG.log(Level.INFO, "the console is at {0}, its token in {1}", uri, tokenFile());
    }

    private static Console start(Builder builder) throws IOException {
        List<AccessToken> tokens = new ArrayList<>();
        for (Builder.TokenFile file : builder.tokens) {
            tokens.add(AccessToken.in(file.name, file.mayWrite, file.path));
        }
        if (!tokens.isEmpty()) {
            return new Console(builder, tokens, null);
        }
        AccessToken made = AccessToken.temporary("console", false);
        try {
            return new Console(builder, List.of(made), made.file());
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(made.file());
            throw e;
        }
    }

    /**
     * Starts a console that only shows, on a free port of this machine.
     *
     * @throws UncheckedIOException if there is no port, or no file for the token
     */
    public static Console start(LimiterRegistry registry) {
        return builder(registry).start();
    }

    /** A builder of a console of this registry, which stays open when the console is closed. */
    public static Builder builder(LimiterRegistry registry) {
        return new Builder(Objects.requireNonNull(registry, "registry"));
    }

    /** The address of the page. */
    public URI uri() {
        return uri;
    }

    /** The file of the first token: the one that was given first, or made for this console. */
    public Path tokenFile() {
        return tokens.get(0).file();
    }

    /** Ends all pages and frees the port; a token that was made for this console ends. Closing again does nothing. */
    @Override
    public void close() {
        pages.close();
        server.close();
        if (temporary != null) {
            try {
                Files.deleteIfExists(temporary);
            } catch (IOException e) {
                LOG.log(Level.DEBUG, "the file of the token stays", e);
            }
        }
    }

    /** The options of a console. Not thread-safe. */
    public static final class Builder {
        private static final int MAX_PORT = 65_535;

        /* Also those of tests. */
        final ConsolePages.Options pages;
        private final List<TokenFile> tokens = new ArrayList<>();
        private final Set<String> hosts = new HashSet<>();
        private InetAddress address = InetAddress.getLoopbackAddress();
        private boolean isOpenToNetwork;
        private int port;
        long limitNanos = TimeUnit.SECONDS.toNanos(5);

        private record TokenFile(String name, boolean mayWrite, Path path) {}

        private Builder(LimiterRegistry registry) {
            pages = new ConsolePages.Options(registry);
        }

        /**
         * The port. Default: 0, a free one.
         *
         * @param number 0 to 65,535
         */
        public Builder port(int number) {
            Require.that(number >= 0 && number <= MAX_PORT, "port must be 0 to " + MAX_PORT, number);
            port = number;
            return this;
        }

        /**
         * The address to listen at. Default: the loopback address. Any other one needs {@link #openToNetwork} and a token of {@link
         * #readToken} or {@link #writeToken}, and {@link #host} for each name by which pages ask for it.
         */
        public Builder address(InetAddress one) {
            address = Objects.requireNonNull(one, "one");
            return this;
        }

        /** Allows an address that other machines reach. Traffic is not encrypted: put a proxy with TLS before it. */
        public Builder openToNetwork() {
            isOpenToNetwork = true;
            return this;
        }

        /**
         * Another host by which the page may be asked for, beside {@code localhost}, {@code 127.0.0.1} and {@code [::1]}; requests to all
         * others are refused with 421.
         *
         * @param host such as {@code console.example.org}, with a port where it is not that of the console, such as {@code :443}
         */
        public Builder host(String host) {
            Require.that(
                    !host.isBlank() && !host.contains("/") && !host.contains("*"),
                    "host must be a name with or without a port",
                    "\"" + host + "\"");
            hosts.add(host.strip());
            return this;
        }

        /**
         * A token that lets its owner look.
         *
         * @param who has the token
         * @param file has the token, 32 or more printable ASCII characters, and may be read by its owner only; it is made if it is
         *     missing
         */
        public Builder readToken(String who, Path file) {
            return token(who, false, file);
        }

        /**
         * A token that lets its owner look and change limits.
         *
         * @param who has the token, as the changes of a limit and its events will say
         * @param file as for {@link #readToken}
         */
        public Builder writeToken(String who, Path file) {
            return token(who, true, file);
        }

        private Builder token(String who, boolean mayWrite, Path file) {
            if (who.isBlank()) {
                throw new IllegalArgumentException("who must not be blank");
            }
            tokens.add(new TokenFile(who, mayWrite, Objects.requireNonNull(file, "file")));
            return this;
        }

        /** The name of this process, as the page shows it. Default: none. */
        public Builder name(String process) {
            pages.name = Objects.requireNonNull(process, "process");
            return this;
        }

        /**
         * Shows the keys of the heaviest requests as they are. Default: a hash of each, another one after a restart, because a key may be
         * an address or a name of somebody.
         */
        public Builder showKeys() {
            pages.showsKeys = true;
            return this;
        }

        /**
         * Records requests as long as the console is open, so that a page has the last five minutes when it opens. Default: while a page
         * is open and five minutes after that; a recording has each request counted, which takes some nanoseconds.
         */
        public Builder recordAlways() {
            pages.isRecordedAlways = true;
            return this;
        }

        /**
         * Starts the console.
         *
         * @throws IllegalArgumentException if the address is not a loopback address and that was not allowed, or the file of a token
         *     has none
         * @throws UncheckedIOException if the port is taken, or a file cannot be read or made
         */
        public Console start() {
            Require.that(
                    address.isLoopbackAddress() || (isOpenToNetwork && !tokens.isEmpty()),
                    "address must be a loopback address without openToNetwork and a token file",
                    address);
            try {
                return Console.start(this);
            } catch (IOException e) {
                throw new UncheckedIOException("the console must have its port and the files of its tokens", e);
            }
        }
    }
}
