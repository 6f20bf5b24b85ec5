package dev.weir.samples;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A process that answers each line with numbers. Its input ends with this process, however that ends. */
final class Child implements AutoCloseable {
    private final Process process;
    private final BufferedReader says;

    Child(ProcessBuilder builder) throws IOException {
        process = builder.start();
        says = process.inputReader();
    }

    /** Starts the main method of this class, in a process that is small. */
    static Child small(Class<?> main, String... args) throws IOException {
        List<String> command =
                new ArrayList<>(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", main.getName()));
        command.addAll(List.of(args));
        return new Child(java(command.toArray(String[]::new)));
    }

    /** A process of Java with these arguments, the class path of this one, and its place for errors. */
    static ProcessBuilder java(String... args) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(List.of(args));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /** In a child: starts a server, and prints its port. */
    static void serve(HttpHandler handler, Executor executor) throws IOException {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "4000");
        System.setProperty("sun.net.httpserver.idleInterval", "600");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4096);
        server.createContext("/", handler);
        server.setExecutor(executor);
        server.start();
        System.out.println(server.getAddress().getPort());
    }

    /** In a child: answers each line of its input, and returns when that ends. */
    static void answer(Supplier<String> answers) throws IOException {
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        while (asked.readLine() != null) {
            System.out.println(answers.get());
        }
    }

    long[] ask() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        return Stream.of(answer().split(" ", -1)).mapToLong(Long::parseLong).toArray();
    }

    String answer() throws IOException {
        String line = says.readLine();
        if (line == null) {
            throw new IOException(
                    "a process has ended: " + process.info().commandLine().orElse("unknown"));
        }
        return line;
    }

    /** Ends its input. */
    void end() throws IOException {
        process.getOutputStream().close();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
