package dev.weir.console;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/** A headless Chromium that a test drives. It notes violations of the policy, frames of the stream and long tasks. Not thread-safe. */
final class Browser implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration BETWEEN = Duration.ofMillis(50);
    /* Held, or the level would go with the garbage. */
    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

    private static final String NOTES = """
            window.noted = { violations: [], frames: 0, tasks: [], faults: [] };
            addEventListener('securitypolicyviolation', (event) => noted.violations.push(event.violatedDirective + ' ' + event.sourceFile));
            addEventListener('unhandledrejection', (event) => noted.faults.push(String(event.reason)));
            new PerformanceObserver((list) => list.getEntries().forEach((task) => noted.tasks.push([task.startTime, task.duration])))
                .observe({ type: 'longtask', buffered: true });
            const Real = EventSource;
            window.EventSource = class extends Real {
              constructor(address) {
                super(address);
                for (const kind of ['whole', 'tick']) this.addEventListener(kind, () => { noted.frames++; });
              }
            };
            """;

    private final ChromeDriver driver;

    Browser() {
        SELENIUM.setLevel(Level.SEVERE);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(onPath("chromium").toString());
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(onPath("chromedriver").toFile())
                .usingAnyFreePort()
                .build();
        driver = new ChromeDriver(service, options);
        driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", NOTES));
        driver.get("about:blank");
    }

    private static Path onPath(String program) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
            Path file = Path.of(folder, program);
            if (Files.isExecutable(file)) {
                return file;
            }
        }
        throw new IllegalStateException(
                "the tests of the console need " + program + ": apt-get install -y chromium chromium-driver");
    }

    ChromeDriver driver() {
        return driver;
    }

    /** Loads a page anew, also if it is shown already. */
    void open(URI page) {
        driver.get("about:blank");
        driver.get(page.toString());
    }

    /** Sets the size of the page, the preferred colours ({@code light} or {@code dark}) and whether motion is reduced. */
    void looks(int width, int height, String scheme, boolean calm) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(
                                Map.of("name", "prefers-color-scheme", "value", scheme),
                                Map.of("name", "prefers-reduced-motion", "value", calm ? "reduce" : "no-preference"))));
    }

    WebElement find(String css) {
        return driver.findElement(By.cssSelector(css));
    }

    /** The text in the document, also of what is not in sight; empty if there is no such element. */
    String text(String css) {
        return String.valueOf(script("return document.querySelector(arguments[0])?.textContent ?? ''", css));
    }

    @Nullable
    Object script(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    long number(String script, Object... arguments) {
        return ((Number) Objects.requireNonNull(script(script, arguments))).longValue();
    }

    boolean is(String script, Object... arguments) {
        return Boolean.TRUE.equals(script("return Boolean(" + script + ")", arguments));
    }

    /** Waits until an expression of JavaScript holds. */
    void await(String expression, Object... arguments) {
        until(() -> is(expression, arguments), expression);
    }

    void until(Supplier<Boolean> condition, String what) {
        WebDriverWait wait = new WebDriverWait(driver, TIMEOUT);
        wait.pollingEvery(BETWEEN)
                .withMessage(() -> what + "; the page says: " + text("body"))
                .until(any -> condition.get());
    }

    /** Waits for so many more frames of the stream. */
    void awaitFrames(int count) {
        await("noted.frames >= arguments[0]", number("return noted.frames") + count);
    }

    /** The processor time of the tasks of the page in ms. */
    double taskMillis() {
        driver.executeCdpCommand("Performance.enable", Map.of("timeDomain", "threadTicks"));
        List<?> metrics = (List<?>)
                driver.executeCdpCommand("Performance.getMetrics", Map.of()).get("metrics");
        return metrics.stream()
                .map(metric -> (Map<?, ?>) metric)
                .filter(metric -> "TaskDuration".equals(metric.get("name")))
                .mapToDouble(metric -> 1000 * ((Number) metric.get("value")).doubleValue())
                .sum();
    }

    /** What the browser has complained of since it was asked last: errors of the console, violations, promises that failed. */
    List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
                .forEach(entry -> complaints.add(entry.getMessage()));
        complaints.addAll(texts("return noted.violations.concat(noted.faults)"));
        return complaints;
    }

    @SuppressWarnings("unchecked")
    List<String> texts(String script, Object... arguments) {
        return (List<String>) Objects.requireNonNull(script(script, arguments));
    }

    byte[] screenshot() {
        return driver.getScreenshotAs(OutputType.BYTES);
    }

    /** The size of the window that is seen, without what the operating system draws around it. */
    Dimension size() {
        return new Dimension((int) number("return document.documentElement.clientWidth"), (int)
                number("return document.documentElement.clientHeight"));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
