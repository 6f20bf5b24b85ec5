package dev.weir.testservers;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Answers as a test says, on a free port of 127.0.0.1, as a Redis would that is standalone and speaks RESP2: to {@code HELLO},
 * {@code CLIENT}, {@code PING}, {@code INFO}, {@code TIME} and {@code CONFIG} as a server that is well, and {@code OK} to anything else, unless
 * the test says otherwise. Thread-safe.
 */
public final class ScriptedRedis implements AutoCloseable {
    private final ServerSocket socket;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final Map<String, Function<List<String>, Answer>> answers = new ConcurrentHashMap<>();
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    private ScriptedRedis(ServerSocket socket) {
        this.socket = socket;
    }

    /** The reaction of a server to a command. */
    public sealed interface Answer {
        /** These bytes, at once or one by one. */
        record Bytes(String text, boolean oneByOne) implements Answer {}

        /** Nothing, to this command and all that follow on its connection. */
        record Silence() implements Answer {}

        /** These bytes, which may be none, and then the end of the connection. */
        record Close(String text) implements Answer {}

        /** {@code error("LOADING Redis is loading the dataset in memory")}. */
        static Answer error(String message) {
            return raw("-" + message + "\r\n");
        }

        /** An array. */
        static Answer integers(long... values) {
            StringBuilder text = new StringBuilder("*" + values.length + "\r\n");
            for (long value : values) {
                text.append(':').append(value).append("\r\n");
            }
            return raw(text.toString());
        }

        /** A string of bytes. */
        static Answer text(String value) {
            return raw("$" + value.getBytes(StandardCharsets.UTF_8).length + "\r\n" + value + "\r\n");
        }

        /** Also what is no RESP. */
        static Answer raw(String text) {
            return new Bytes(text, false);
        }

        /** The same, one byte at a time, each in a packet of its own. */
        default Answer slowly() {
            return new Bytes(((Bytes) this).text(), true);
        }

        /** The first half, and then the end of the connection. */
        default Answer half() {
            String text = ((Bytes) this).text();
            return new Close(text.substring(0, text.length() / 2));
        }
    }

    /** A running server. */
    public static ScriptedRedis started() {
        try {
            ScriptedRedis server = new ScriptedRedis(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
            server.answerAsUsual();
            server.run("scripted-redis", server::accept);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void answerAsUsual() {
        answer("HELLO", command -> Answer.error("ERR unknown command 'HELLO'"));
        answer("PING", command -> Answer.raw("+PONG\r\n"));
        answer("TIME", command -> Answer.raw("*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n"));
        answer("CONFIG", command -> Answer.raw("*2\r\n$16\r\nmaxmemory-policy\r\n$10\r\nnoeviction\r\n"));
        answer("INFO", command -> Answer.text(info("7.0.15", "0".repeat(40), "master")));
    }

    /** The answer of a server to a question about itself. */
    public static String info(String version, String runId, String role) {
        return "# Server\r\nredis_version:" + version + "\r\nredis_mode:standalone\r\nrun_id:" + runId
                + "\r\n# Replication\r\nrole:" + role + "\r\n";
    }

    /** The answer to a command from now on; the function gets its name and arguments, with a character for each byte. */
    public void answer(String command, Function<List<String>, Answer> answer) {
        answers.put(command, answer);
    }

    /** Counts how often a command was received. */
    public int count(String command) {
        return counts.getOrDefault(command, 0);
    }

    /** The port. */
    public int port() {
        return socket.getLocalPort();
    }

    /** {@code redis://127.0.0.1:PORT}. */
    public String uri() {
        return "redis://127.0.0.1:" + port();
    }

    /** Ends all connections; new ones are accepted. */
    public void disconnectAll() {
        connections.forEach(ScriptedRedis::close);
    }

    private void run(String name, Runnable action) {
        Thread thread = new Thread(action, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket connection = socket.accept();
                connection.setTcpNoDelay(true);
                connections.add(connection);
                run("scripted-redis-connection", () -> serve(connection));
            }
        } catch (IOException closed) {
            return;
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            InputStream in = new BufferedInputStream(connection.getInputStream());
            OutputStream out = connection.getOutputStream();
            boolean silent = false;
            while (true) {
                List<String> command = command(in);
                counts.merge(command.get(0), 1, Integer::sum);
                Answer answer = answers.getOrDefault(command.get(0), all -> Answer.raw("+OK\r\n"))
                        .apply(command);
                silent |= answer instanceof Answer.Silence;
                if (!silent && !sent(answer, out)) {
                    return;
                }
            }
        } catch (IOException ended) {
            return;
        } finally {
            connections.remove(connection);
        }
    }

    /** True if the connection goes on. */
    private static boolean sent(Answer answer, OutputStream out) throws IOException {
        if (answer instanceof Answer.Bytes bytes && bytes.oneByOne()) {
            for (byte one : bytes(bytes.text())) {
                out.write(one);
                out.flush();
            }
        } else if (answer instanceof Answer.Bytes bytes) {
            out.write(bytes(bytes.text()));
        } else if (answer instanceof Answer.Close last) {
            out.write(bytes(last.text()));
            return false;
        }
        return true;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static List<String> command(InputStream in) throws IOException {
        List<String> words = new ArrayList<>();
        int size = Integer.parseInt(RespSocket.line(in).substring(1));
        for (int i = 0; i < size; i++) {
            int length = Integer.parseInt(RespSocket.line(in).substring(1));
            byte[] word = in.readNBytes(length);
            if (word.length < length) {
                throw new EOFException();
            }
            words.add(new String(word, StandardCharsets.ISO_8859_1));
            in.skipNBytes(2);
        }
        return words;
    }

    private static void close(Socket connection) {
        try {
            connection.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends all connections. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        disconnectAll();
    }
}
