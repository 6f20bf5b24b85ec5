package dev.weir.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.deque.html.axecore.results.Rule;
import com.deque.html.axecore.selenium.AxeBuilder;
import dev.weir.config.contract.TcpProxy;
import dev.weir.named.status.LimitStatus;
import dev.weir.spi.Registration;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The page in a real browser, over a shop under load. One browser and one shop serve all tests; each loads the page anew. */
@Tag("real-time")
@TestInstance(Lifecycle.PER_CLASS)
class ConsolePageTest {
    private static final String PAINTED = """
            [...document.querySelectorAll('#detail .plot')].filter((plot) => plot.offsetWidth > 0).every((plot) => {
              const canvas = plot.querySelector('canvas');
              if (!canvas) return false;
              const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
              let painted = 0;
              for (let at = 3; at < pixels.length; at += 4) painted += pixels[at] > 0 ? 1 : 0;
              return painted > 1000;
            })""";

    private final Browser browser = new Browser();
    private final Shop shop = Shop.small();
    private Path folder;
    private Console console;
    private Path token;

    @BeforeAll
    void start(@TempDir Path given) {
        folder = given;
        token = folder.resolve("write");
        console = Console.builder(shop.limits)
                .name("shop")
                .writeToken("ann", token)
                .start();
    }

    @AfterAll
    void stop() {
        browser.close();
        console.close();
        shop.close();
    }

    @BeforeEach
    void looks() {
        browser.looks(1440, 1000, "light", false);
        browser.complaints();
    }

    @AfterEach
    void nothingWasComplainedOf() {
        assertEquals(List.of(), browser.complaints());
    }

    private void open(URI page, Path itsToken, String limit) throws IOException {
        browser.open(
                limit.isEmpty() ? page : page.resolve("#limit=" + URLEncoder.encode(limit, StandardCharsets.UTF_8)));
        browser.await("noted.frames > 0 || document.querySelector('#login').open");
        if (browser.is("document.querySelector('#login').open")) {
            browser.find("#login input").sendKeys(Files.readString(itsToken).strip() + Keys.ENTER);
        }
        browser.await("document.querySelectorAll('#list .row:not([hidden])').length > 0");
    }

    private void open(String limit) throws IOException {
        open(console.uri(), token, limit);
    }

    /** Counts in the page, frame by frame, because the test may look late. */
    private long framesUntilShown(String limit, Runnable change) {
        browser.script("""
                const [wanted] = arguments;
                const look = () => {
                  const shown = document.querySelector('.numbers dd').textContent === wanted
                      && document.querySelector('#list [aria-selected=true] .used').textContent.endsWith('| ' + wanted);
                  if (shown) window.shownAt = noted.frames; else setTimeout(look, 10);
                };
                window.shownAt = null;
                look();
                """, limit);
        long before = browser.number("return noted.frames");
        change.run();
        browser.await("window.shownAt !== null");
        return browser.number("return window.shownAt") - before;
    }

    @Test
    void showsLimitsAndPaintsChartsUnderTheStrictPolicy() throws IOException {
        browser.driver().manage().deleteAllCookies();
        open("checkout");
        browser.await("document.querySelectorAll('#detail .plot').length >= 4");
        browser.await(PAINTED);
        browser.await("/^limit \\d+, \\d+ in flight/.test(document.querySelector('#detail figure').dataset.last)");
        assertEquals(
                Shop.HOSTILE,
                browser
                        .texts(
                                "return [...document.querySelectorAll('#list .row:not([hidden])')].map((row) => row.dataset.name)")
                        .stream()
                        .filter(name -> name.contains("<"))
                        .findFirst()
                        .orElseThrow());
        assertEquals(
                List.of(200L, "image/svg+xml"),
                browser.driver()
                        .executeAsyncScript(
                                "fetch(document.querySelector('link[rel=icon]').href).then((icon) => arguments[0]([icon.status, icon.headers.get('Content-Type')]))"));
    }

    @Test
    void textsOfStrangersAreOnlyTexts() throws IOException {
        open(Shop.HOSTILE);
        browser.await("document.querySelector('#chosen').textContent === arguments[0]", Shop.HOSTILE);
        Registration hostile = shop.limits.override(
                Shop.HOSTILE,
                "concurrency: 1",
                Duration.ofMinutes(1),
                "<b>mallory</b>",
                "</script><script>hacked=1</script>");
        browser.await(
                "document.querySelector('#panel-why').textContent.includes('</script><script>hacked=1</script>')");
        browser.await("document.querySelector('#panel-events').textContent.includes('<b>mallory</b>')");
        hostile.close();
        assertEquals(0, browser.number("return document.querySelectorAll('img, #detail b b, #main script').length"));
        assertFalse(browser.is("window.hacked"));
    }

    @Test
    void aLimitThatTheRegistryChangesIsShownWithinASecond() throws IOException {
        open("checkout");
        browser.await("document.querySelector('.numbers dd').textContent === '20'");
        List<Registration> given = new ArrayList<>();
        // two frames are a second
        assertTrue(framesUntilShown(
                        "11",
                        () -> given.add(shop.limits.override(
                                "checkout", "concurrency: 11", Duration.ofMinutes(1), "bob", "less")))
                <= 2);
        given.forEach(Registration::close);
        browser.await("document.querySelector('.numbers dd').textContent === '20'");
    }

    private void fill(String field, String value) {
        WebElement input =
                browser.driver().findElement(By.xpath("//dialog[@open]//label[span='" + field + "']/*[last()]"));
        input.clear();
        input.sendKeys(value);
    }

    private void edit(String limit, String concurrency, String why) throws IOException {
        open(limit);
        browser.await(
                "document.querySelector('#open-change').offsetWidth > 0 && document.querySelector('.owner').textContent !== ''");
        browser.find("#open-change").click();
        fill("concurrency", concurrency);
        fill("why (required)", why);
    }

    @Test
    void aChangeIsPreviewedAppliedAndUndone() throws IOException {
        LimitStatus before = shop.limits.limiter("checkout").status();
        edit("checkout", "7", "incident 7");
        browser.find("#preview").click();
        browser.await("document.querySelector('#apply')?.offsetWidth > 0");
        assertTrue(browser.text("#change .facts").contains("20 → 7"), browser.text("#change"));
        assertEquals(before.settings(), shop.limits.limiter("checkout").status().settings());
        browser.find("#apply").click();
        browser.await("!document.querySelector('#change').open");
        LimitStatus changed = shop.limits.limiter("checkout").status();
        assertEquals("7", changed.settings().get("concurrency"));
        assertEquals("ann", changed.override().who());
        assertEquals("incident 7", changed.override().why());
        assertEquals(
                Duration.ofMinutes(15),
                Duration.between(changed.override().since(), changed.override().until()));
        browser.await("document.querySelector('.applied').textContent.includes('incident 7')");
        browser.await("document.activeElement.id === 'undo'");
        browser.find("#undo").click();
        browser.await("document.querySelector('.applied').hidden");
        LimitStatus after = shop.limits.limiter("checkout").status();
        assertEquals(before.settings(), after.settings());
        assertEquals(null, after.override());
    }

    @Test
    void nothingIsAppliedOverAChangeThatWasNotSeen() throws IOException {
        edit("checkout", "9", "mine");
        browser.find("#preview").click();
        browser.await("document.querySelector('#apply')?.offsetWidth > 0");
        Registration other = shop.limits.override("checkout", "concurrency: 8", Duration.ofMinutes(1), "bob", "first");
        browser.find("#apply").click();
        browser.await("document.querySelector('#change .problems').textContent.includes('Nothing was applied')");
        assertEquals("8", shop.limits.limiter("checkout").status().settings().get("concurrency"));
        browser.complaints(); // the console tells of the status 409
        browser.find("#again").click();
        browser.await("document.querySelector('#change .field input').value === '8'");
        other.close();
    }

    @Test
    void aPageWhoseTokenReadsOffersNoChange() throws IOException {
        Path reading = folder.resolve("read");
        try (Console other =
                Console.builder(shop.limits).readToken("bob", reading).start()) {
            open(other.uri(), reading, "checkout");
            browser.await("document.querySelector('#access').offsetWidth > 0");
            browser.await("document.querySelector('#open-change').textContent === 'Sign in to change'");
            browser.find("#open-change").click();
            browser.await("document.querySelector('#login').open");
            browser.open(URI.create("about:blank"));
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void aStreamThatIsCutIsShownAsStaleAndComesBackWithoutDuplicates() throws IOException {
        int port = freePort();
        try (TcpProxy proxy = new TcpProxy(port);
                Console behind = Console.builder(shop.limits)
                        .port(port)
                        .host("127.0.0.1:" + proxy.port())
                        .writeToken("ann", token)
                        .start()) {
            open(URI.create("http://127.0.0.1:" + proxy.port() + "/"), token, "checkout");
            shop.limits
                    .override("mail", "rate: 30/s", Duration.ofMinutes(1), "bob", "before the cut")
                    .close();
            browser.await("document.querySelector('#last-event').textContent !== 'none'");
            browser.awaitFrames(1);
            assertEquals(port, behind.uri().getPort());
            proxy.cut();
            browser.await("/^stale since \\d/.test(document.querySelector('#connection').textContent)");
            long frames = browser.number("return noted.frames");
            shop.limits
                    .override("checkout", "concurrency: 19", Duration.ofMinutes(1), "bob", "while it was cut")
                    .close();
            proxy.restore();
            browser.await("document.querySelector('#connection').textContent === 'live'");
            assertTrue(browser.number("return noted.frames") > frames);
            browser.await("document.querySelector('#panel-events').textContent.includes('while it was cut')");
            browser.awaitFrames(2);
            List<String> events = browser.texts(
                    "return [...document.querySelectorAll('#panel-events tbody tr')].map((row) => row.textContent)");
            assertEquals(new HashSet<>(events).size(), events.size(), events::toString);
            browser.open(URI.create("about:blank"));
            List<String> complaints = browser.complaints();
            assertTrue(complaints.stream().allMatch(each -> each.contains("net::ERR_")), complaints::toString);
        }
    }

    @Test
    void aPauseHoldsWhatIsShown() throws IOException {
        open("checkout");
        browser.find("#pause").click();
        browser.awaitFrames(1);
        String before = browser.text("#list");
        browser.awaitFrames(2);
        assertEquals(before, browser.text("#list"));
        assertEquals("paused", browser.text("#connection"));
        browser.find("#pause").click();
        browser.until(() -> !browser.text("#list").equals(before), "the list goes on");
    }

    @Test
    void chartsCanBeReadByKeysAndAsTables() throws IOException {
        open("checkout");
        browser.await("document.querySelector('#limit-summary')?.textContent.startsWith('limit')");
        browser.find("#limit").sendKeys(Keys.ARROW_LEFT, Keys.ARROW_LEFT);
        browser.await(
                "/^\\d\\d:\\d\\d:\\d\\d: limit \\d+, in flight \\d+$/.test(document.querySelector('#values').textContent)");
        assertEquals(
                browser.script("return document.querySelector('#limit').ariaValueText"),
                browser.script("return document.querySelector('#decisions').ariaValueText"));
        browser.find("#detail figure button").click();
        browser.await("document.querySelectorAll('#detail figure tbody tr').length === 60");
        assertEquals(
                "time,limit,in flight",
                browser.script(
                        "return [...document.querySelectorAll('#detail figure th')].map((head) => head.textContent).join()"));
    }

    @Test
    void allIsDoneByKeysAlone() throws IOException {
        LimitStatus before = shop.limits.limiter("payments").status();
        open("");
        for (int i = 0; i < 12 && !browser.is("document.activeElement.id === 'list'"); i++) {
            press(Keys.TAB);
        }
        for (int i = 0;
                i < 8 && !browser.is("document.querySelector('[data-active]')?.dataset.name === 'payments'");
                i++) {
            press(i == 0 ? Keys.HOME : Keys.ARROW_DOWN);
        }
        press(Keys.ENTER);
        browser.await("document.activeElement.id === 'chosen' && document.activeElement.textContent === 'payments'");
        browser.await("document.querySelector('.owner').textContent !== ''");
        for (int i = 0; i < 6 && !browser.is("document.activeElement.id === 'open-change'"); i++) {
            press(Keys.TAB);
        }
        press(Keys.ENTER);
        browser.await("document.querySelector('#change').open");
        for (int i = 0;
                i < 12 && !browser.is("document.activeElement.closest('label')?.textContent === 'adaptive.max'");
                i++) {
            press(Keys.TAB);
        }
        press("25");
        for (int i = 0; i < 12 && !browser.is("document.activeElement.required"); i++) {
            press(Keys.TAB);
        }
        press("by keys" + Keys.ENTER);
        browser.await("document.activeElement.id === 'apply'");
        press(Keys.ENTER);
        browser.await("document.activeElement.id === 'undo'");
        assertEquals("25", shop.limits.limiter("payments").status().settings().get("adaptive.max"));
        press(Keys.ENTER);
        browser.await("document.querySelector('.applied').hidden");
        assertEquals(before.settings(), shop.limits.limiter("payments").status().settings());
    }

    private void press(CharSequence keys) {
        browser.driver().switchTo().activeElement().sendKeys(keys);
    }

    @SuppressWarnings("deprecation") // without frames, the old mode finds the same in a third of the time
    private void assertAccessible(String what) {
        List<Rule> found =
                new AxeBuilder().setLegacyMode(true).analyze(browser.driver()).getViolations();
        assertEquals(
                List.of(),
                found.stream()
                        .filter(rule -> List.of("serious", "critical").contains(rule.getImpact()))
                        .map(rule -> what + ": " + rule.getId() + " " + rule.getNodes())
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({"360, light", "360, dark", "1440, light", "1440, dark"})
    void isWholeAndAccessibleInEachSizeAndColour(int width, String scheme) throws IOException {
        browser.looks(width, 900, scheme, false);
        open("");
        assertAccessible("the list");
        browser.find("#list .row").click();
        browser.await(PAINTED);
        assertAccessible("the detail");
        for (String area : List.of("html", "#detail", "#list")) {
            assertTrue(
                    browser.is(
                            "document.querySelector(arguments[0]).scrollWidth <= document.querySelector(arguments[0]).clientWidth",
                            area),
                    area);
        }
        assertEquals(List.of(), browser.texts("""
                return [...document.querySelectorAll('button, select, input, summary, .row, .plot')]
                  .filter((target) => target.offsetWidth > 0 && (target.offsetWidth < 24 || target.offsetHeight < 24))
                  .map((target) => target.outerHTML)"""));
        assertEquals(
                scheme.equals("dark"),
                browser.is(
                        "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every((part) => part < 60)"));
        browser.find("#open-change").click();
        browser.await("document.querySelector('#change').open");
        assertAccessible("the dialog");
    }

    @Test
    void theThemeIsSwitchedByHand() throws IOException {
        open("");
        String light = String.valueOf(browser.script("return getComputedStyle(document.body).backgroundColor"));
        browser.find("#theme").click();
        browser.find("#theme").click();
        assertEquals("Theme: dark", browser.text("#theme"));
        assertNotEquals(light, browser.script("return getComputedStyle(document.body).backgroundColor"));
        browser.find("#theme").click();
        assertEquals(light, browser.script("return getComputedStyle(document.body).backgroundColor"));
    }

    @Test
    void withReducedMotionChartsMoveInSteps() throws IOException {
        browser.looks(1440, 1000, "light", true);
        open("checkout");
        browser.await(PAINTED);
        for (int i = 0; i < 3; i++) {
            browser.find("#limit").sendKeys(Keys.HOME);
            // it moves by 10 s at a time, so the first point is always the second after a whole ten
            assertTrue(String.valueOf(browser.script("return document.querySelector('#limit').ariaValueText"))
                    .endsWith("1"));
            browser.awaitFrames(2);
        }
        assertEquals(0, browser.number("return document.getAnimations().length"));
    }

    @Test
    void aPageWithoutAStreamAsksInstead() throws Exception {
        try (Console other =
                Console.builder(shop.limits).writeToken("ann", token).start()) {
            open(other.uri(), token, "");
            String cookie = browser.driver().manage().getCookies().stream()
                    .filter(each -> each.getName().endsWith("-" + other.uri().getPort()))
                    .map(each -> each.getName() + "=" + each.getValue())
                    .findFirst()
                    .orElseThrow();
            browser.open(URI.create("about:blank"));
            HttpRequest stream = HttpRequest.newBuilder(other.uri().resolve("api/stream"))
                    .header("Cookie", cookie)
                    .build();
            List<InputStream> taken = new ArrayList<>();
            int status = 200;
            // the stream of the page that was open may still be ending
            while (status == 200) {
                HttpResponse<InputStream> answer =
                        HttpClient.newHttpClient().send(stream, BodyHandlers.ofInputStream());
                status = answer.statusCode();
                taken.add(answer.body());
            }
            assertEquals(503, status);
            browser.open(other.uri());
            browser.await("document.querySelectorAll('#list .row:not([hidden])').length === 6");
            browser.await("document.querySelector('#connection').textContent === 'live'");
            String before = browser.text("#list");
            browser.until(() -> !browser.text("#list").equals(before), "the list goes on");
            assertEquals(0, browser.number("return noted.frames"));
            browser.open(URI.create("about:blank"));
            assertTrue(browser.complaints().stream().allMatch(each -> each.contains("503")));
            for (InputStream each : taken) {
                each.close();
            }
        }
    }

    /** {@code -Dweir.rewrite=true} makes those of the documents, after a minute of load. */
    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void aPictureOfThePageIsSmallEnoughForTheDocuments(String scheme) throws IOException {
        boolean isForDocuments = Boolean.getBoolean("weir.rewrite");
        browser.looks(1440, 900, scheme, false);
        open("checkout");
        browser.await("noted.frames >= arguments[0]", isForDocuments ? 130 : 2);
        browser.await(PAINTED);
        Path picture = Path.of(isForDocuments ? "../../../docs/images" : "target", "console-" + scheme + ".png");
        Files.write(picture, browser.screenshot());
        assertTrue(Files.size(picture) < 200_000, () -> picture.toFile().length() + " bytes");
    }

    /** The longest task of some rounds of three frames; the median, because the machine has other work. */
    @Test
    void fiveHundredLimitersNeedNoLongTask() throws IOException {
        try (Shop many = Shop.of(500);
                Console other =
                        Console.builder(many.limits).writeToken("ann", token).start()) {
            open(other.uri(), token, "service-1");
            assertEquals("500", browser.text("#shown"));
            assertTrue(browser.number("return document.querySelectorAll('#list .row').length") < 60);
            browser.awaitFrames(2);
            long[] longest = LongStream.range(0, 3)
                    .map(round -> longestTask((int) round))
                    .sorted()
                    .toArray();
            browser.open(URI.create("about:blank"));
            assertTrue(longest[1] < 50, () -> "longest tasks in ms: " + Arrays.toString(longest));
        }
    }

    private long longestTask(int round) {
        browser.script(
                "noted.tasks.length = 0; document.querySelector('#list').scrollTop = arguments[0] * 3000", round);
        browser.awaitFrames(3);
        return browser.number("return noted.tasks.reduce((longest, [, took]) => Math.max(longest, took), 0)");
    }
}
